package patches

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestLoad(t *testing.T) {
	md := "---\nTitle: fix(exporter): it\nKind: perf\nFor: >= v1.2.0, < v2.0.0\nUpstream: #5134\nLanded: v1.9.0\n" +
		"Needs: 0001 below v1.3.0\nLeans: exporter:EventStore,\n  exporter:Manager\nCopies: eventstore -> internal/eventstore\n" +
		"Replaces-Tests: TestA, TestB\n---\n\n## Problem\n\nIt waits.\n"
	series, err := Load(fstest.MapFS{
		"0001-one/PATCH.md":      {Data: []byte(frontMatter)},
		"0001-one/a.txt":         {Data: []byte("a")},
		"0002-two-more/PATCH.md": {Data: []byte(md)},
		"author/main.go":         {Data: []byte("no patch")},
		"bases/v1.2.0.json":      {Data: []byte(`{"version":"v1.2.0","sum":"h1:x"}`)},
		"bases/v1.10.0.json":     {Data: []byte(`{"version":"v1.10.0"}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := series.Find("two-more")
	if err != nil {
		t.Fatal(err)
	}
	want := &Patch{
		Name: "0002-two-more", Title: "fix(exporter): it", Text: "## Problem\n\nIt waits.\n",
		Kind: "perf", For: Range{{">=", "v1.2.0"}, {"<", "v2.0.0"}}, Upstream: "#5134", Landed: "v1.9.0",
		Needs:         []Need{{"0001-one", "v1.3.0"}},
		Leans:         []string{"exporter:EventStore", "exporter:Manager"},
		Copies:        []Copy{{"eventstore", "internal/eventstore"}},
		ReplacesTests: []string{"TestA", "TestB"},
	}
	p.files = nil
	if d := cmp.Diff(want, p, cmp.AllowUnexported(Patch{})); d != "" {
		t.Errorf("patch (-want +got):\n%s", d)
	}
	if got := p.For.String(); got != ">= v1.2.0, < v2.0.0" {
		t.Errorf("range %q", got)
	}
	var versions []string
	for _, b := range series.Bases() {
		versions = append(versions, b.Version)
	}
	if d := cmp.Diff([]string{"v1.2.0", "v1.10.0"}, versions); d != "" {
		t.Errorf("bases (-want +got):\n%s", d)
	}
	if b, ok := series.Base("v1.2.0"); !ok || b.Sum != "h1:x" {
		t.Errorf("base %v, %t", b, ok)
	}
}

func TestLoadErrors(t *testing.T) {
	const head = "//go:build ignore\n\npackage till\n\n"
	md := func(keys string) string { return "---\nTitle: fix: it\nKind: fix\nFor: all\n" + keys + "---\n" }
	for _, c := range []struct{ name, file, content, want string }{
		{"no front matter", "0001-a/PATCH.md", "Title: x\n", `patch 0001-a/PATCH.md: does not begin with a line "---"`},
		{"open front matter", "0001-a/PATCH.md", "---\nTitle: x\n", `not closed by a line "---"`},
		{"no key lines", "0001-a/PATCH.md", "---\nTitle x\n---\n", `not "Key: value" lines`},
		{"no title", "0001-a/PATCH.md", "---\nKind: fix\nFor: all\n---\n", "key Title is missing"},
		{"no range", "0001-a/PATCH.md", "---\nTitle: x\nKind: fix\n---\n", "key For is missing"},
		{"kind", "0001-a/PATCH.md", "---\nTitle: x\nKind: chore\nFor: all\n---\n", `key Kind: "chore" is none of fix, feat, perf, test`},
		{"range", "0001-a/PATCH.md", "---\nTitle: x\nKind: fix\nFor: < 1.53\n---\n", `key For: "< 1.53" does not end in a release`},
		{"range without operator", "0001-a/PATCH.md", "---\nTitle: x\nKind: fix\nFor: v1.53.0\n---\n", `key For: "v1.53.0" is neither "all"`},
		{"unknown key", "0001-a/PATCH.md", md("Fro: all\n"), "key Fro: unknown"},
		{"key twice", "0001-a/PATCH.md", md("Kind: fix\n"), "key Kind is given 2 times"},
		{"landed", "0001-a/PATCH.md", md("Landed: soon\n"), `key Landed: "soon" is not a release`},
		{"needs", "0001-a/PATCH.md", md("Needs: 0002 above v1\n"), `key Needs: "0002 above v1" is neither`},
		{"needs unknown", "0001-a/PATCH.md", md("Needs: 0009\n"), `patch 0001-a/PATCH.md: key Needs: there is no patch "0009"`},
		{"needs itself", "0001-a/PATCH.md", md("Needs: 0001\n"), "key Needs: 0001-a does not come before it"},
		{"leans", "0001-a/PATCH.md", md("Leans: EventStore\n"), `key Leans: "EventStore" is not an address`},
		{"copies", "0001-a/PATCH.md", md("Copies: ../x -> y\n"), `key Copies: "../x -> y" is not "FOLDER -> FOLDER"`},
		{"no PATCH.md", "0002-b/a.txt", "a", "patch 0002-b has no PATCH.md"},
		{"same number", "0001-b/PATCH.md", md(""), "0001-b holds no file"},
		{"no build tag", "0001-a/till/b.go", "package till\n", `patch 0001-a/till/b.go: its first line must be "//go:build ignore"`},
		{"no Go", "0001-a/till/b.go", head + "func {", "till/b.go:5:6: expected"},
		{"release folder", "0001-a/@1.52/b.go", head, "a folder that begins with @ is named after a release"},
		{"unknown directive", "0001-a/till/b.go", head + "//offlock:remove X\n", `line 5: unknown directive "remove"`},
		{"directive without a name", "0001-a/till/b.go", head + "//offlock:\n", "line 5: a directive without a name"},
		{"directive inside", "0001-a/till/b.go", head + "func f() {\n\t//offlock:delete X\n}\n", "line 6: directive delete is inside f"},
		{"directive apart", "0001-a/till/b.go", head + "//offlock:fields\n\ntype T struct{ a int }\n", "line 5: directive fields must stand directly above"},
		{"two directives", "0001-a/till/b.go", head + "//offlock:fields\n//offlock:fields after A\ntype T struct{ a int }\n", "line 6: T has a second directive"},
		{"delete nothing", "0001-a/till/b.go", head + "//offlock:delete\n", "line 5: delete takes a declaration"},
		{"delete statement", "0001-a/till/b.go", head + "//offlock:delete f return\n", `"return" is not the fingerprint of a statement`},
		{"statement number", "0001-a/till/b.go", head + "//offlock:delete f 0123456789ab#0\n", "is not the fingerprint of a statement"},
		{"fields of nothing", "0001-a/till/b.go", head + "//offlock:fields\ntype T struct{}\n", "type T has no fields to add"},
		{"fields of a func", "0001-a/till/b.go", head + "//offlock:fields\nfunc f() {}\n", "fields stands above a struct"},
		{"fields before", "0001-a/till/b.go", head + "//offlock:fields before A\ntype T struct{ a int }\n", `fields takes nothing, or "after FIELD"`},
		{"statements of a type", "0001-a/till/b.go", head + "//offlock:before f 0123456789ab\ntype T struct{ a int }\n", "before stands above func _()"},
		{"statement address", "0001-a/till/b.go", head + "//offlock:before f\nfunc _() { g() }\n", "before takes a function and the fingerprint"},
		{"no statements", "0001-a/till/b.go", head + "//offlock:before f 0123456789ab\nfunc _() {}\n", "func _ is empty"},
		{"func _ alone", "0001-a/till/b.go", head + "func _() { g() }\n", "func _ without a replace, before or after"},
		{"base that is no JSON", "bases/v1.2.0.json", "{", "base bases/v1.2.0.json: unexpected EOF"},
		{"base of another name", "bases/v1.2.0.json", `{"version":"v1.3.0"}`, `it says to be version "v1.3.0"`},
		{"base with an unknown key", "bases/v1.2.0.json", `{"versoin":"v1.2.0"}`, `unknown field "versoin"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := fstest.MapFS{
				"0001-a/PATCH.md":  {Data: []byte(md(""))},
				"0001-a/till/a.go": {Data: []byte(head + "func a() {}\n")},
			}
			tree[c.file] = &fstest.MapFile{Data: []byte(c.content)}
			_, err := Load(tree)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v\nwant one with %q", err, c.want)
			}
		})
	}
}

func TestLoadSameNumber(t *testing.T) {
	_, err := Load(fstest.MapFS{
		"0001-a/PATCH.md": {Data: []byte(frontMatter)}, "0001-a/x": {},
		"0001-b/PATCH.md": {Data: []byte(frontMatter)}, "0001-b/x": {},
	})
	if err == nil || !strings.Contains(err.Error(), "patch 0001-b/PATCH.md: 0001-a has the same number") {
		t.Errorf("error %v", err)
	}
}

func TestRange(t *testing.T) {
	for _, c := range []struct {
		text, version string
		want          bool
	}{
		{"all", "v0.1.0", true},
		{"< v1.53.0", "v1.52.9", true},
		{"< v1.53.0", "v1.53.0", false},
		{"<= v1.53.0", "v1.53.0", true},
		{">v1.53.0", "v1.53.0", false},
		{"> v1.53.0", "v1.100.0", true},
		{"= v1.53.0", "v1.53.0", true},
		{">= v1.53.0, < v2.0.0", "v2.0.0", false},
		{">= v1.53.0, < v2.0.0", "v1.60.0", true},
	} {
		r, err := parseRange(c.text)
		if err != nil || r.Contains(c.version) != c.want {
			t.Errorf("%q contains %s: %t, error %v; want %t", c.text, c.version, !c.want, err, c.want)
		}
	}
}
