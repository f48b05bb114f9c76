package patches

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// chain is a series in which 0003 needs 0002, and 0002 needs 0001 below v1.5.0; 0004 stands alone and landed in v1.8.0.
func chain(t *testing.T) (*Series, fstest.MapFS) {
	t.Helper()
	file := func(name string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("//go:build ignore\n\npackage till\n\nfunc " + name + "() {}\n")}
	}
	md := func(keys string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("---\nTitle: fix: it\nKind: fix\n" + keys + "---\n")}
	}
	series, err := Load(fstest.MapFS{
		"0001-one/PATCH.md": md("For: < v1.5.0\n"), "0001-one/till/one.go": file("one"),
		"0002-two/PATCH.md": md("For: all\nNeeds: 0001 below v1.5.0\n"), "0002-two/till/two.go": file("two"),
		"0003-three/PATCH.md": md("For: all\nNeeds: two\n"), "0003-three/till/three.go": file("three"),
		"0004-four/PATCH.md": md("For: all\nLanded: v1.8.0\n"), "0004-four/till/four.go": file("four"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return series, fstest.MapFS{"till/till.go": {Data: []byte("package till\n")}}
}

func TestSelection(t *testing.T) {
	series, tree := chain(t)
	for _, c := range []struct {
		name, version string
		sel           Selection
		want          string // the applied patches, "name<puller" for one that was pulled in
		err           string
	}{
		{"all", "v1.4.0", Selection{}, "0001-one 0002-two 0003-three 0004-four", ""},
		{"all, above the range", "v1.5.0", Selection{}, "0002-two 0003-three 0004-four", ""},
		{"all, after one landed", "v1.8.0", Selection{}, "0002-two 0003-three", ""},
		{"only, pulling in at two removes", "v1.4.0", Selection{Only: []string{"0003"}}, "0001-one<0002-two 0002-two<0003-three 0003-three", ""},
		{"only, with a need that is not for the version", "v1.6.0", Selection{Only: []string{"three"}}, "0002-two<0003-three 0003-three", ""},
		{"only, all asked for", "v1.6.0", Selection{Only: []string{"0003-three", "0002"}}, "0002-two 0003-three", ""},
		{"without", "v1.4.0", Selection{Without: []string{"0004", "three"}}, "0001-one 0002-two", ""},
		{"without a need and what needs it", "v1.4.0", Selection{Without: []string{"0003", "0002"}}, "0001-one 0004-four", ""},
		{"without what is not for the version", "v1.6.0", Selection{Without: []string{"0001"}}, "0002-two 0003-three 0004-four", ""},
		{"without a need", "v1.4.0", Selection{Without: []string{"0002"}}, "", "patch 0003-three needs 0002-two; leave out both, or neither"},
		{"without a need at two removes", "v1.4.0", Selection{Only: []string{"0003"}, Without: []string{"0001"}}, "", "patch 0002-two needs 0001-one"},
		{"both", "v1.4.0", Selection{Only: []string{"0003"}, Without: []string{"three"}}, "", "both asked for and left out"},
		{"unknown", "v1.4.0", Selection{Only: []string{"0009"}}, "", `no patch "0009" in the series; it has 0001-one, 0002-two`},
		{"only, not for the version", "v1.6.0", Selection{Only: []string{"0001"}}, "", "cannot be applied to v1.6.0: it is for < v1.5.0"},
		{"only, landed", "v1.9.0", Selection{Only: []string{"0004"}}, "", "cannot be applied to v1.9.0: upstream has it since v1.8.0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			result, err := series.Apply(c.version, tree, Options{Selection: c.sel, Unrecorded: true})
			if c.err != "" {
				var wrong *SelectionError
				if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v; want a SelectionError with %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range result.Reports {
				switch {
				case r.State.Applies() && r.PulledBy != "":
					got = append(got, r.Patch.Name+"<"+r.PulledBy)
				case r.State.Applies():
					got = append(got, r.Patch.Name)
				}
			}
			if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" {
				t.Errorf("applied (-want +got):\n%s", d)
			}
			selected, err := series.Selected(c.version, c.sel)
			if d := cmp.Diff(result.Applied(), selected); d != "" || err != nil {
				t.Errorf("selected (-applied +selected): error %v\n%s", err, d)
			}
			if len(result.Files) != len(result.Applied()) {
				t.Errorf("%d files of %d patches", len(result.Files), len(result.Applied()))
			}
		})
	}
}

// One series serves several callers at once (for the race detector).
func TestApplyConcurrentSafe(t *testing.T) {
	series, tree := chain(t)
	results := make([]*Result, 8)
	var group sync.WaitGroup
	for i := range results {
		group.Go(func() {
			var err error
			if results[i], err = series.Apply("v1.4.0", tree, Options{Unrecorded: true}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, r := range results[1:] {
		if d := cmp.Diff(results[0].Files, r.Files); d != "" {
			t.Errorf("two results (-first +other):\n%s", d)
		}
	}
}

// A patch that uses what an earlier one adds must say so before it can be recorded.
func TestRecordMissingNeed(t *testing.T) {
	series, err := Load(fstest.MapFS{
		"0001-one/PATCH.md":     {Data: []byte(frontMatter)},
		"0001-one/till/one.go":  {Data: []byte("//go:build ignore\n\npackage till\n\nfunc one() {}\n")},
		"0002-two/PATCH.md":     {Data: []byte(frontMatter)},
		"0002-two/till/till.go": {Data: []byte("//go:build ignore\n\npackage till\n\nfunc two() { one() }\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = series.Record("v1.0.0", fstest.MapFS{"till/till.go": {Data: []byte("package till\n")}})
	if err == nil || !strings.Contains(err.Error(), "0002-two: till/one.go: one: it comes from 0001-one, which is not needed (gone); add 0001 to the Needs line") {
		t.Errorf("error %v", err)
	}
}
