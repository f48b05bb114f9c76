package modtree_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/offlock/offlock/internal/modtree"
)

func TestHold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "note")
	if _, err := modtree.Hold(path, os.O_RDWR); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: error %v, want fs.ErrNotExist", err)
	}
	first, err := modtree.Hold(path, os.O_CREATE|os.O_EXCL|os.O_RDWR)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := modtree.Hold(path, os.O_RDWR); !errors.Is(err, modtree.ErrHeld) {
		t.Errorf("a held file: error %v, want ErrHeld", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := modtree.Hold(path, os.O_RDWR)
	if err != nil {
		t.Fatalf("after it was let go: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
}
