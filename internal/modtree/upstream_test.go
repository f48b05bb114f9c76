package modtree_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/offlock/offlock/internal/modtree"
)

// upstreamReleases are what the checksum database says of two releases.
var upstreamReleases = map[string]modtree.Hashes{
	"v1.52.1": {
		Sum:      "h1:bafS0vvwmoqigcSXjrqBhTJaLX2xeVe3XThi/ySMg2A=",
		GoModSum: "h1:W5W1B9KjhOqeC8iIP4n5Cr7ph6Cwk/LVXCBW/QzCWV4=",
	},
	"v1.55.2": {
		Sum:      "h1:jxTysxrNghTGa/k7aotrCr73WHc51pyOVTxT3mGDZE0=",
		GoModSum: "h1:Y/87MD7MOOLmvR+GCk+xCO7EyoAkNKFvFXJJ3Yxl6Lg=",
	},
}

// What is left behind must not be missed: every package of upstream loads in the fork, its tests and embedded files
// too, and the fork stays small.
func TestUpstreamPruned(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: downloads upstream")
	}
	const maxFiles, maxBytes = 900, 9 << 20
	for version, want := range upstreamReleases {
		t.Run(version, func(t *testing.T) {
			base, err := modtree.Fetch(t.Context(), version, want)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, base.Hashes); diff != "" {
				t.Errorf("hashes (-want +got):\n%s", diff)
			}
			tree, err := modtree.NewTree(base, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			files, size := tree.Files()
			t.Logf("%d files, %d bytes", files, size)
			if files > maxFiles || size > maxBytes {
				t.Errorf("%d files, %d bytes; want at most %d and %d", files, size, maxFiles, maxBytes)
			}
			dir := writeTree(t, tree)
			if edited, err := modtree.Edited(dir, tree.Marker.Hash); err != nil || len(edited) > 0 {
				t.Errorf("edited at once: %v, %v", edited, err)
			}

			for folder, programs := range leftOut(t, base.FS(), tree) {
				if !programs || !isExample(folder) {
					t.Errorf("%s is left out, and is no program among the examples", folder)
				}
			}
			there := slices.DeleteFunc(packages(t, base.Dir), isExample)
			if diff := cmp.Diff(there, packages(t, dir)); diff != "" {
				t.Errorf("packages (-upstream +fork):\n%s", diff)
			}
		})
	}
}

func isExample(importPath string) bool {
	return slices.Contains(strings.Split(importPath, "/"), "examples")
}

// leftOut lists the folders of which Go files are missing in the tree or changed, whatever `./...` takes for a package,
// and whether all of those files are of programs, which nothing can import.
func leftOut(t *testing.T, upstream fs.FS, tree *modtree.Tree) map[string]bool {
	t.Helper()
	folders, kept := make(map[string]bool), 0
	err := fs.WalkDir(upstream, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".go" {
			return err
		}
		content, err := fs.ReadFile(upstream, name)
		if err != nil {
			return err
		}
		if got, ok := tree.Content(name); ok && bytes.Equal(got, content) {
			kept++
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, content, parser.PackageClauseOnly)
		if err != nil {
			return err
		}
		programs, seen := folders[path.Dir(name)]
		folders[path.Dir(name)] = f.Name.Name == "main" && (programs || !seen)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d Go files are kept, %d folders left out", kept, len(folders))
	if kept == 0 {
		t.Error("no Go file is kept")
	}
	return folders
}

// packages lists the packages of a module and fails on any that would not load, for its tests or embedded files either.
func packages(t *testing.T, dir string) []string {
	t.Helper()
	type loadError struct{ Err string }
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-test",
		"-json=ImportPath,ForTest,Incomplete,Error,DepsErrors", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly", "PWD="+dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var paths []string
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, ForTest string
			Incomplete          bool
			Error               *loadError
			DepsErrors          []loadError
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Incomplete || p.Error != nil || len(p.DepsErrors) > 0 {
			t.Errorf("%s does not load: %v %v", p.ImportPath, p.Error, p.DepsErrors)
		}
		if p.ForTest == "" && path.Ext(p.ImportPath) != ".test" {
			paths = append(paths, p.ImportPath)
		}
	}
	if len(paths) == 0 {
		t.Fatalf("no package in %s", filepath.Base(dir))
	}
	return paths
}
