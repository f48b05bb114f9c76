package patches

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// Each fixture is recorded on up/ and then compared with next/.
func TestStatus(t *testing.T) {
	for _, f := range fixtures(t, "testdata/states/*.txtar") {
		t.Run(f.String(), func(t *testing.T) {
			series, err := f.recorded()
			if err != nil {
				t.Fatal(err)
			}
			opts := Options{Source: func(string) (fs.FS, error) { return f.up, nil }}
			result, err := series.Status(nextVersion, f.next, opts)
			if err != nil {
				t.Fatal(err)
			}
			got := states(result)
			if *update {
				f.rewrite(t, "want.states", map[string]string{"": got})
				return
			}
			if d := cmp.Diff(f.states, got); d != "" {
				t.Errorf("states (-want +got):\n%s", d)
			}
			checkRefusal(t, f, series, result, opts)
		})
	}
}

// checkRefusal checks that Apply agrees with Status.
func checkRefusal(t *testing.T, f *fixture, series *Series, status *Result, opts Options) {
	t.Helper()
	refused := map[string]bool{}
	for _, r := range status.Reports {
		switch r.State {
		case Drifted, ContextDrift, Gone, Ambiguous:
			refused[r.Patch.Name] = true
		}
	}
	result, err := series.Apply(nextVersion, f.next, opts)
	if len(refused) == 0 {
		if err != nil {
			t.Errorf("Apply refuses: %v", err)
		}
		return
	}
	var drift *DriftError
	if result != nil || !errors.As(err, &drift) || len(drift.Reports) != len(refused) {
		t.Fatalf("Apply: result %v, error %v; want a DriftError for %d patches", result, err, len(refused))
	}
	for _, r := range drift.Reports {
		if !refused[r.Patch.Name] {
			t.Errorf("Apply refuses %s, Status does not", r.Patch.Name)
		}
		for _, finding := range r.Findings {
			for _, word := range []string{r.Patch.Name, finding.File, finding.Decl, string(finding.State), "next: "} {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("the error does not say %q:\n%v", word, err)
				}
			}
		}
	}
}

// states writes a result as fixtures have it.
func states(r *Result) string {
	var text strings.Builder
	for _, report := range r.Reports {
		fmt.Fprintf(&text, "%s %s", report.Patch.Name, report.State)
		if report.Reason != "" {
			fmt.Fprintf(&text, ": %s", report.Reason)
		}
		text.WriteString("\n")
		for _, f := range report.Findings {
			fmt.Fprintf(&text, "\t%s %s %s: %s\n", f.File, f.Decl, f.State, f.Reason)
			for line := range strings.Lines(f.Diff) {
				text.WriteString("\t\t" + line)
			}
		}
		for _, c := range report.Changes {
			fmt.Fprintf(&text, "\tchanges %s\n", c.Path)
		}
	}
	return text.String()
}

// A release without a record is held against every base that the patch is for, and applied by the overrides of the one that it
// matches; a release with a record is held against that alone.
func TestBases(t *testing.T) {
	const head = "//go:build ignore\n\npackage till\n\n"
	up := func(body string) fstest.MapFS {
		return fstest.MapFS{"till/till.go": {Data: []byte("package till\n\nfunc a() { " + body + " }\n")}}
	}
	series, err := Load(fstest.MapFS{
		"0001-a/PATCH.md":              {Data: []byte("---\nTitle: fix: a\nKind: fix\nFor: < v1.4.0\n---\n")},
		"0001-a/till/till.go":          {Data: []byte(head + "func a() { panic(1) }\n")},
		"0001-a/@v1.1.0/till/till.go":  {Data: []byte(head + "func a() { panic(11) }\n")},
		"0002-b/PATCH.md":              {Data: []byte(frontMatter)},
		"0002-b/till/more.go":          {Data: []byte(head + "func more() {}\n")},
		"0003-late/PATCH.md":           {Data: []byte("---\nTitle: fix: late\nKind: fix\nFor: >= v1.4.0\n---\n")},
		"0003-late/@v1.4.0/till/la.go": {Data: []byte(head + "func late() {}\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for version, body := range map[string]string{"v1.1.0": "println(11)", "v1.2.0": "println(12)"} {
		if series.bases[version], err = series.Record(version, up(body)); err != nil {
			t.Fatal(err)
		}
	}
	delete(series.bases["v1.2.0"].Patches, "0002-b")
	for _, c := range []struct{ name, version, body, want, file string }{
		{"its own record", "v1.1.0", "println(11)", "clean v1.1.0", "panic(11)"},
		{"its own record, which it does not match", "v1.1.0", "println(12)", "drifted v1.1.0", ""},
		{"none, like the nearest", "v1.3.0", "println(12)", "clean v1.2.0", "panic(1)"},
		{"none, like one further off", "v1.3.0", "println(11)", "clean v1.1.0", "panic(11)"},
		{"none, like a newer one", "v1.0.0", "println(12)", "clean v1.2.0", "panic(1)"},
		{"none, like no other", "v1.3.0", "println(13)", "drifted v1.2.0", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			result, err := series.Status(c.version, up(c.body), Options{})
			if err != nil {
				t.Fatal(err)
			}
			r := result.Reports[0]
			if got := string(r.State) + " " + r.Base; got != c.want || !strings.Contains(string(result.Files["till/till.go"]), c.file) {
				t.Errorf("%s, want %s with %q; file:\n%s", got, c.want, c.file, result.Files["till/till.go"])
			}
		})
	}
	for _, c := range []struct{ version, patch, want string }{
		{"v1.2.0", "0002-b", "the record of v1.2.0 does not have it; record it with"},
		{"v1.4.0", "0003-late", "no release that it is for has been recorded; record it with"},
	} {
		_, err := series.Apply(c.version, up("println(12)"), Options{Selection: Selection{Only: []string{c.patch}}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s on %s: error %v; want %q", c.patch, c.version, err, c.want)
		}
	}
}

// A release is not held against a base on which other patches stood below this one: what those own is not in its record.
func TestBasesWithOtherNeeds(t *testing.T) {
	const head = "//go:build ignore\n\npackage till\n\n"
	up := func(b string) fstest.MapFS {
		return fstest.MapFS{"till/till.go": {Data: []byte("package till\n\nfunc b() " + b + "\n")}}
	}
	const old, changed = "{}", "{ println(1) }"
	for _, c := range []struct {
		name        string
		first, keys string // of 0001, and of 0002
		tree, want  string
	}{
		{"needed below the release only", "For: < v1.3.0\n", "Needs: 0001 below v1.3.0\n", changed, "drifted: no recorded release has it upon the same patches as v1.9.0"},
		{"landed since", "For: all\nLanded: v1.3.0\n", "Needs: 0001\n", changed, "drifted: no recorded release has it upon the same patches"},
		{"landed before both", "For: all\nLanded: v1.1.0\n", "Needs: 0001\n", old, "clean: "},
		{"needed on both", "For: all\n", "Needs: 0001\n", old, "clean: "},
		{"not needed", "For: < v1.3.0\n", "Needs: 0001 below v1.0.0\n", old, "clean: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			series, err := Load(fstest.MapFS{
				"0001-b/PATCH.md":     {Data: []byte("---\nTitle: fix: b\nKind: fix\n" + c.first + "---\n")},
				"0001-b/till/till.go": {Data: []byte(head + "func b() { panic(1) }\n")},
				"0002-c/PATCH.md":     {Data: []byte("---\nTitle: fix: c\nKind: fix\nFor: all\n" + c.keys + "---\n")},
				"0002-c/till/till.go": {Data: []byte(head + "func c() { b() }\n")},
			})
			if err != nil {
				t.Fatal(err)
			}
			if series.bases["v1.2.0"], err = series.Record("v1.2.0", up(old)); err != nil {
				t.Fatal(err)
			}
			result, err := series.Status("v1.9.0", up(c.tree), Options{})
			if err != nil {
				t.Fatal(err)
			}
			r := result.Reports[1]
			if got := string(r.State) + ": " + r.Reason; !strings.HasPrefix(got, c.want) {
				t.Errorf("%s; want %s", got, c.want)
			}
		})
	}
}

// A patch goes by the same base as those that it needs: with another one it would stand on another text of theirs.
func TestBaseOfTheNeeds(t *testing.T) {
	const head = "//go:build ignore\n\npackage till\n\n"
	up := func(a, b string) fstest.MapFS {
		return fstest.MapFS{"till/till.go": {Data: []byte("package till\n\nfunc a() " + a + "\n\nfunc b() " + b + "\n")}}
	}
	series, err := Load(fstest.MapFS{
		"0001-a/PATCH.md":             {Data: []byte(frontMatter)},
		"0001-a/till/till.go":         {Data: []byte(head + "func a() { panic(1) }\n")},
		"0001-a/@v1.1.0/till/till.go": {Data: []byte(head + "func a() { panic(11) }\n")},
		"0002-b/PATCH.md":             {Data: []byte(strings.Replace(frontMatter, "For: all\n", "For: all\nNeeds: 0001\n", 1))},
		"0002-b/till/till.go":         {Data: []byte(head + "func b() { a() }\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for version, tree := range map[string]fstest.MapFS{"v1.1.0": up("{}", "{}"), "v1.2.0": up("{ println(2) }", "{ println(2) }")} {
		if series.bases[version], err = series.Record(version, tree); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ a, b, want string }{
		{"{}", "{}", "clean v1.1.0"},
		{"{ println(2) }", "{ println(2) }", "clean v1.2.0"},
		{"{}", "{ println(2) }", "drifted v1.1.0"},
	} {
		result, err := series.Status("v1.9.0", up(c.a, c.b), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r := result.Reports[1]; string(r.State)+" "+r.Base != c.want {
			t.Errorf("a %s, b %s: %s %s (%s); want %s", c.a, c.b, r.State, r.Base, r.Reason, c.want)
		}
	}
}
