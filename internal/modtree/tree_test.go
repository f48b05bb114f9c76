package modtree_test

import (
	"bytes"
	"errors"
	"go/format"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/offlock/offlock/internal/modtree"
	"github.com/offlock/offlock/internal/modtree/modtreetest"
)

var examplePatches = []modtree.Patch{
	{Name: "0001-first", Title: "fix: wait less", Files: []string{"exporter/exporter.go", "exporter/new.go"}},
	{Name: "0002-second"},
}

func exampleChanges() map[string][]byte {
	return map[string][]byte{
		"exporter/exporter.go": []byte("// Package exporter was changed.\npackage exporter\n"),
		"exporter/new.go":      []byte("package exporter\n\nimport _ \"embed\"\n\n//go:embed README.md\nvar readme string\n"),
		"docs/added.md":        []byte("# Added by a patch\n"),
		"cmd/tool/main.go":     nil,
	}
}

func exampleTree(t *testing.T) *modtree.Tree {
	t.Helper()
	tree, err := modtree.NewTree(smallBase(t), examplePatches, exampleChanges())
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestNewTree(t *testing.T) {
	tree := exampleTree(t)
	want := []string{
		"LICENSE",
		"OFFLOCK.md",
		"OFFLOCK.sum",
		"docs/added.md",
		"exporter/README.md", // embedded by a file that a patch adds
		"exporter/exporter.go",
		"exporter/exporter_test.go",
		"exporter/new.go",
		"exporter/offlock_marker.go",
		"exporter/testdata/golden.txt",
		"flag.go",
		"go.mod",
	}
	if diff := cmp.Diff(want, tree.Paths()); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
	var size int64
	for _, path := range tree.Paths() {
		content, ok := tree.Content(path)
		if !ok {
			t.Errorf("%s has no content", path)
		}
		size += int64(len(content))
		if filepath.Ext(path) != ".go" {
			continue
		}
		if formatted, err := format.Source(content); err != nil || !bytes.Equal(formatted, content) {
			t.Errorf("%s is not formatted: %v", path, err)
		}
	}
	if n, bytes := tree.Files(); n != len(want) || bytes != size {
		t.Errorf("Files = %d, %d; want %d, %d", n, bytes, len(want), size)
	}
	if got, _ := tree.Content("exporter/exporter.go"); !bytes.Equal(got, exampleChanges()["exporter/exporter.go"]) {
		t.Errorf("change is not in the tree: %s", got)
	}
	if _, ok := tree.Content("cmd/tool/main.go"); ok {
		t.Error("a deleted file is in the tree")
	}
	marker := modtree.Marker{Base: "v1.55.2", Patches: []string{"0001-first", "0002-second"}, Hash: tree.Marker.Hash}
	if diff := cmp.Diff(marker, tree.Marker); diff != "" {
		t.Errorf("marker (-want +got):\n%s", diff)
	}
	notice, _ := tree.Content("OFFLOCK.md")
	for _, part := range []string{"v1.55.2", "0123456789abcdef", "0001-first", "fix: wait less", "exporter/new.go", "0002-second"} {
		if !bytes.Contains(notice, []byte(part)) {
			t.Errorf("notice lacks %q:\n%s", part, notice)
		}
	}
}

// A fork is the same bytes, and so the same hash, wherever and whenever it is made.
func TestTreeIsDeterministic(t *testing.T) {
	first := writeTree(t, exampleTree(t))
	t.Setenv("TMPDIR", t.TempDir())
	second := writeTree(t, exampleTree(t))
	if diff := cmp.Diff(folder(t, first), folder(t, second)); diff != "" {
		t.Errorf("two forks differ:\n%s", diff)
	}

	changes := exampleChanges()
	changes["docs/added.md"] = []byte("# Other\n")
	other, err := modtree.NewTree(smallBase(t), examplePatches, changes)
	if err != nil {
		t.Fatal(err)
	}
	if other.Marker.Hash == exampleTree(t).Marker.Hash {
		t.Error("other content, same hash")
	}
}

func TestNewTreeErrors(t *testing.T) {
	for _, tt := range []struct {
		name    string
		patches []modtree.Patch
		changes map[string][]byte
		want    string
	}{
		{"outside", nil, map[string][]byte{"../x.go": {}}, `"../x.go"`},
		{"absolute", nil, map[string][]byte{"/x.go": {}}, `"/x.go"`},
		{"our own file", nil, map[string][]byte{"OFFLOCK.sum": {}}, "OFFLOCK.sum"},
		{"no licence", nil, map[string][]byte{"LICENSE": nil}, "LICENSE"},
		{"no go.mod", nil, map[string][]byte{"go.mod": nil}, "go.mod"},
		{"no exporter", nil, map[string][]byte{"exporter/exporter.go": nil, "exporter/exporter_test.go": nil}, "exporter"},
		{"patch name that breaks the marker", []modtree.Patch{{Name: "a`b"}}, nil, "backquote"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := modtree.NewTree(smallBase(t), tt.patches, tt.changes)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that names %s", err, tt.want)
			}
		})
	}
	t.Run("base is gone", func(t *testing.T) {
		base := smallBase(t)
		base.Dir = filepath.Join(t.TempDir(), "missing")
		if _, err := modtree.NewTree(base, nil, nil); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("error %v, want one of a missing folder", err)
		}
	})
}

func TestSmallBaseIsAModule(t *testing.T) {
	dir := t.TempDir()
	if _, err := modtreetest.SmallBase(dir, "v1.0.0"); err != nil {
		t.Fatal(err)
	}
	goCommand(t, dir, "build", "./...")
}
