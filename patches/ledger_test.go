package patches

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
)

// No patch undoes the work of another one that it does not need, and what it edits does not depend on whether that one is
// selected.
func TestIndependentPatches(t *testing.T) {
	const head = "//go:build ignore\n\npackage till\n\n"
	const up = "package till\n\ntype Till struct {\n\tn int\n}\n\nfunc a() {\n\tif true {\n\t\tb(1)\n\t}\n\tb(2)\n\tb(3)\n\tb(3)\n}\n\nfunc b(int) {}\n"
	for _, c := range []struct {
		name, first, second string
		err                 string // of the second; "" if both apply
	}{
		{"statements apart", "//offlock:before a HASH[b(1)]\nfunc _() {\n\tb(10)\n}\n", "//offlock:replace a HASH[b(2)]\nfunc _() {\n\tb(20)\n}\n", ""},
		{"statements behind one another", "//offlock:delete a HASH[b(2)]\n", "//offlock:before a HASH[b(1)]\nfunc _() {\n\tb(20)\n}\n", ""},
		{"two before one statement", "//offlock:before a HASH[b(2)]\nfunc _() {\n\tb(10)\n}\n", "//offlock:before a HASH[b(2)]\nfunc _() {\n\tb(20)\n}\n", ""},
		{"fields", "//offlock:fields\ntype Till struct{ x int }\n", "//offlock:fields after n\ntype Till struct{ y int }\n", ""},
		{"declarations apart", "func a() {}\n", "func b(int) { panic(1) }\n", ""},
		{"a statement, then all", "//offlock:before a HASH[b(2)]\nfunc _() {\n\tb(10)\n}\n", "func a() {}\n", "0001-first edits it"},
		{"all, then a statement", "func a() { b(5) }\n", "//offlock:replace a HASH[b(5)]\nfunc _() {\n\tb(6)\n}\n", "0001-first replaces or deletes it"},
		{"all, then all", "func a() { b(5) }\n", "func a() { b(6) }\n", "0001-first replaces or deletes it"},
		{"all, then none", "func a() { b(5) }\n", "//offlock:delete a\n", "0001-first replaces or deletes it"},
		{"none, then all", "//offlock:delete a\n", "func a() {}\n", "0001-first replaces or deletes it"},
		{"fields, then none", "//offlock:fields\ntype Till struct{ x int }\n", "//offlock:delete Till\n", "0001-first edits it"},
		{"what the first one adds, replaced", "func c() {}\n", "func c() { b(1) }\n", "0001-first adds it"},
		{"what the first one adds, edited", "func c() { b(1) }\n", "//offlock:delete c HASH[b(1)]\n", "0001-first adds it"},
		{"the file", "//offlock:before a HASH[b(2)]\nfunc _() {\n\tb(10)\n}\n", "//offlock:delete-file\n", "0001-first edits it"},
		{"a statement around one", "//offlock:replace a HASH[b(1)]\nfunc _() {\n\tb(10)\n}\n", "//offlock:delete a HASH[if true { b(10) }]\n", "not upstream's"},
		{"a statement in ours", "//offlock:replace a HASH[b(1)]\nfunc _() {\n\tb(10)\n}\n", "//offlock:replace a HASH[b(10)]\nfunc _() {\n\tb(11)\n}\n", "not upstream's"},
		{"a statement that only looks like upstream's", "//offlock:replace a HASH[if true { b(1) }]\nfunc _() {\n\tb(1)\n}\n",
			"//offlock:replace a HASH[b(1)]\nfunc _() {\n\tb(11)\n}\n", "overlaps"},
		{"a number", "//offlock:before a HASH[b(2)]\nfunc _() {\n\tb(3)\n}\n", "//offlock:delete a HASH[b(3)]#1\n", "counts"},
		{"a field behind ours", "//offlock:fields\ntype Till struct{ x int }\n", "//offlock:fields after x\ntype Till struct{ y int }\n", "not upstream's"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, needs := range []bool{false, true} {
				keys := ""
				if needs {
					keys = "Needs: 0001\n"
				}
				series, err := Load(fstest.MapFS{
					"0001-first/PATCH.md":      {Data: []byte(frontMatter)},
					"0001-first/till/till.go":  {Data: expand([]byte(head + c.first))},
					"0002-second/PATCH.md":     {Data: []byte(strings.Replace(frontMatter, "For: all\n", "For: all\n"+keys, 1))},
					"0002-second/till/till.go": {Data: expand([]byte(head + c.second))},
				})
				if err != nil {
					t.Fatal(err)
				}
				tree := fstest.MapFS{"till/till.go": {Data: []byte(up)}}
				result, err := series.Apply("v1.0.0", tree, Options{Unrecorded: true})
				_, recordErr := series.Record("v1.0.0", tree)
				if needs || c.err == "" {
					if err != nil || recordErr != nil {
						t.Errorf("needs it: %t; Apply: %v; Record: %v", needs, err, recordErr)
					}
					continue
				}
				var drift *DriftError
				if !errors.As(err, &drift) || result != nil || len(drift.Reports) != 1 || drift.Reports[0].Patch.Name != "0002-second" ||
					!strings.Contains(err.Error(), c.err) || !strings.Contains(err.Error(), "0001 to the Needs line") {
					t.Errorf("Apply: %v; want a refusal of 0002 with %q", err, c.err)
				}
				if recordErr == nil || !strings.Contains(recordErr.Error(), c.err) {
					t.Errorf("Record: %v; want %q", recordErr, c.err)
				}
			}
		})
	}
}

// What a third patch has made of a declaration is no common ground.
func TestIndependentOfAThird(t *testing.T) {
	const head = "//go:build ignore\n\npackage till\n\n"
	before := func(statement string) *fstest.MapFile {
		return &fstest.MapFile{Data: expand([]byte(head + "//offlock:before a HASH[" + statement + "]\nfunc _() {\n\tb(0)\n}\n"))}
	}
	series, err := Load(fstest.MapFS{
		"0001-first/PATCH.md":      {Data: []byte(frontMatter)},
		"0001-first/till/till.go":  before("b(1)"),
		"0002-second/PATCH.md":     {Data: []byte(strings.Replace(frontMatter, "For: all\n", "For: all\nNeeds: 0001\n", 1))},
		"0002-second/till/till.go": before("b(2)"),
		"0003-third/PATCH.md":      {Data: []byte(frontMatter)},
		"0003-third/till/till.go":  before("b(3)"),
	})
	if err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{"till/till.go": {Data: []byte("package till\n\nfunc a() {\n\tb(1)\n\tb(2)\n\tb(3)\n}\n\nfunc b(int) {}\n")}}
	_, err = series.Apply("v1.0.0", tree, Options{Unrecorded: true})
	if err == nil || !strings.Contains(err.Error(), "patch 0003-third: drifted: 0002-second edits it too, and one of the two builds on a third patch there") {
		t.Errorf("error %v", err)
	}
}

// Every file may have its own init.
func TestIndependentInits(t *testing.T) {
	file := &fstest.MapFile{Data: []byte("//go:build ignore\n\npackage till\n\nfunc init() {}\n\nvar _ = 1\n")}
	series, err := Load(fstest.MapFS{
		"0001-first/PATCH.md":     {Data: []byte(frontMatter)},
		"0001-first/till/a.go":    file,
		"0002-second/PATCH.md":    {Data: []byte(frontMatter)},
		"0002-second/till/b.go":   file,
		"0002-second/till/b_c.go": file,
	})
	if err != nil {
		t.Fatal(err)
	}
	base, err := series.Record("v1.0.0", fstest.MapFS{"till/till.go": {Data: []byte("package till\n")}})
	if err != nil {
		t.Fatal(err)
	}
	series.bases["v1.0.0"] = base
	_, err = series.Apply("v1.1.0", fstest.MapFS{"till/till.go": {Data: []byte("package till\n\nfunc init() {}\n")}}, Options{})
	if err != nil {
		t.Error(err)
	}
}

// What a needed patch changes is in that one's record, and left out of the leans of those that need it.
func TestRecordLeansBelow(t *testing.T) {
	const head = "//go:build ignore\n\npackage till\n\n"
	keys := func(keys string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(strings.Replace(frontMatter, "For: all\n", "For: all\n"+keys, 1))}
	}
	const leans = "Leans: till:whole, till:inside, till:free\n"
	series, err := Load(fstest.MapFS{
		"0001-first/PATCH.md":      keys(""),
		"0001-first/till/till.go":  {Data: expand([]byte(head + "func whole() { free() }\n\n//offlock:before inside HASH[whole()]\nfunc _() {\n\tfree()\n}\n"))},
		"0002-second/PATCH.md":     keys(leans + "Needs: 0001\n"),
		"0002-second/till/till.go": {Data: []byte(head + "func second() { inside() }\n")},
		"0003-third/PATCH.md":      keys(leans),
		"0003-third/till/till.go":  {Data: []byte(head + "func third() {}\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{"till/till.go": {Data: []byte("package till\n\nfunc whole() {}\n\nfunc inside() {\n\twhole()\n}\n\nfunc free() {}\n")}}
	base, err := series.Record("v1.0.0", tree)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"0002-second": "till:free", "0003-third": "till:free till:inside till:whole"} {
		if got := strings.Join(base.Patches[name].Leans, " "); got != want {
			t.Errorf("%s leans on %q; want %q", name, got, want)
		}
	}
}
