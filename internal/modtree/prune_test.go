package modtree

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPrune(t *testing.T) {
	const library, program = "package x\n", "package main\n"
	for _, tt := range []struct {
		name  string
		files map[string]string
		left  []string // behind; all other files are kept
	}{
		{
			name: "packages and what the go command compiles in them",
			files: map[string]string{
				"go.mod": "", "go.sum": "", "x.go": library, "a/b/x.go": library, "a/b/asm_amd64.s": "", "a/b/c.h": "",
				"a/b/notes.txt": "", "a/b/Dockerfile": "", "Makefile": "", "logo.png": "", "docs/x.md": "",
			},
			left: []string{"Makefile", "a/b/Dockerfile", "a/b/notes.txt", "docs/x.md", "logo.png"},
		},
		{
			name: "licences of the root and of packages",
			files: map[string]string{
				"LICENSE": "", "NOTICE.txt": "", "a/COPYING": "", "a/x.go": library, "docs/LICENSE": "", "LICENSES.html": "",
			},
			left: []string{"LICENSES.html", "docs/LICENSE"},
		},
		{
			name: "folders that the go command passes by",
			files: map[string]string{
				"x.go": library, ".hidden/x.go": library, "_old/x.go": library, "a/_b/c/x.go": library,
			},
			left: []string{".hidden/x.go", "_old/x.go", "a/_b/c/x.go"},
		},
		{
			name: "programs among the examples, but not packages",
			files: map[string]string{
				"examples/demo/main.go": program, "examples/demo/testdata/x": "", "examples/shared/x.go": library,
				"cmd/tool/main.go": program,
			},
			left: []string{"examples/demo/main.go", "examples/demo/testdata/x"},
		},
		{
			name: "testdata at or above a package, whole",
			files: map[string]string{
				"a/b/x.go": library, "a/b/testdata/deep/er/x.json": "", "a/testdata/mock/m.go": library,
				"testdata/x": "", "kotlin/testdata/x": "", "a/testdata/testdata/y": "",
			},
			left: []string{"kotlin/testdata/x"},
		},
		{
			name: "embedded files and folders",
			files: map[string]string{
				"a/x.go":    "package x\n\nimport _ \"embed\"\n\n//go:embed one.txt \"two words.txt\" web *.sql\n//go:embed all:hidden\nvar files string\n",
				"a/one.txt": "", "a/two words.txt": "", "a/web/deep/index.html": "", "a/1.sql": "", "a/hidden/.x": "",
				"a/other.txt": "", "one.txt": "", "b/1.sql": "",
			},
			left: []string{"a/other.txt", "b/1.sql", "one.txt"},
		},
		{
			name: "files that a test names",
			files: map[string]string{
				"a/b/x_test.go":  "package x\n\nvar paths = []string{\"../../.schema/x.json\", `golden.txt`, \"..\", \"/etc/passwd\", \"../../../out\"}\n",
				"a/x.go":         "package x\n\nvar path = \"read-at-run-time.txt\"\n",
				".schema/x.json": "", ".schema/y.json": "", "a/b/golden.txt": "", "a/read-at-run-time.txt": "", "a/golden.txt": "",
			},
			left: []string{".schema/y.json", "a/golden.txt", "a/read-at-run-time.txt"},
		},
		{
			name:  "a file that does not parse",
			files: map[string]string{"a/x.go": "package x\n\nfunc ( {{{ \"unclosed\n", "a/x_test.go": "@@@", "a/testdata/x": ""},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := slices.Sorted(maps.Keys(tt.files))
			kept, err := prune(all, func(name string) ([]byte, error) { return []byte(tt.files[name]), nil })
			if err != nil {
				t.Fatal(err)
			}
			want := slices.DeleteFunc(all, func(name string) bool { return slices.Contains(tt.left, name) })
			if diff := cmp.Diff(want, kept); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPruneReadError(t *testing.T) {
	_, err := prune([]string{"x.go"}, func(string) ([]byte, error) { return nil, fs.ErrPermission })
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error %v, want fs.ErrPermission", err)
	}
}

func TestScanSourcePackage(t *testing.T) {
	for source, want := range map[string]string{
		"// package comment\npackage x": "x",
		"/* c */ package /* d */ main;": "main",
		"":                              "",
		"package":                       "",
	} {
		if got := scanSource([]byte(source)).pkg; got != want {
			t.Errorf("package of %q is %q, want %q", strings.TrimSpace(source), got, want)
		}
	}
}
