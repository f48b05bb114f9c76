package modtree_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/offlock/offlock/internal/modtree"
)

// A run that ends after the fork is in place and before its lock is written leaves a folder that is known as a fork.
func TestInspect(t *testing.T) {
	nothing := filepath.Join(t.TempDir(), "fork")
	for name, dir := range map[string]string{"nothing": nothing, "an empty folder": t.TempDir()} {
		if _, err := modtree.Inspect(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: error %v, want fs.ErrNotExist", name, err)
		}
		if err := modtree.CheckTarget(dir); err != nil {
			t.Errorf("%s is no target: %v", name, err)
		}
	}

	tree := exampleTree(t)
	swap, err := tree.Write(nothing)
	if err != nil {
		t.Fatal(err)
	}
	if err := swap.Commit(); err != nil {
		t.Fatal(err)
	}
	m, err := modtree.Inspect(nothing)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tree.Marker, m); diff != "" {
		t.Errorf("marker (-want +got):\n%s", diff)
	}
	if err := errors.Join(swap.Done(), modtree.CheckTarget(nothing)); err != nil {
		t.Errorf("a fork is no target: %v", err)
	}

	writeFile(t, filepath.Join(nothing, "flag.go"), "package mine\n")
	var edited *modtree.EditedError
	if _, err := modtree.Inspect(nothing); !errors.As(err, &edited) {
		t.Errorf("an edited fork: error %v, want an EditedError", err)
	} else if diff := cmp.Diff([]string{"flag.go"}, edited.Paths); diff != "" {
		t.Errorf("edited (-want +got):\n%s", diff)
	}
	foreignDir := t.TempDir()
	if err := os.Mkdir(filepath.Join(foreignDir, "mine"), 0o755); err != nil {
		t.Fatal(err)
	}
	var foreign *modtree.ForeignFolderError
	if _, err := modtree.Inspect(foreignDir); !errors.As(err, &foreign) {
		t.Errorf("someone's folder: error %v, want a ForeignFolderError", err)
	}
}
