package modtree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// halfUndone is a swap whose former folder is aside and could not be put back, because something took its place: as
// after a Commit of which both the second rename and its way back failed, or an Undo that came as far.
func halfUndone(t *testing.T) (s *Swap, former string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "fork")
	a, err := newAside(dir)
	if err != nil {
		t.Fatal(err)
	}
	former = filepath.Join(a.path(asideOld), "go.mod")
	for _, path := range []string{former, filepath.Join(dir, "in the way")} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("module former\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return &Swap{dir: dir, aside: a, hadOld: true}, former
}

// Undo never deletes the former fork: it says where that is, and puts it back once it can.
func TestUndoKeepsWhatItCannotRestore(t *testing.T) {
	s, former := halfUndone(t)
	for range 2 {
		if err := s.Undo(); err == nil || !strings.Contains(err.Error(), filepath.Dir(former)) {
			t.Fatalf("Undo: error %v, want one that names %s", err, filepath.Dir(former))
		}
		if _, err := os.Stat(former); err != nil {
			t.Fatalf("the former fork is gone: %v", err)
		}
	}
	if err := os.RemoveAll(s.dir); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Undo(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(s.dir, "go.mod")); err != nil {
		t.Errorf("the former fork is not back: %v", err)
	}
	beside, err := os.ReadDir(filepath.Dir(s.dir))
	if err != nil || len(beside) != 1 {
		t.Errorf("beside the fork: %v, %v", beside, err)
	}
}

// What the run could not restore, the next run does not delete either, as long as no fork of offlock took its place.
func TestRecoverKeepsWhatItCannotRestore(t *testing.T) {
	s, former := halfUndone(t)
	if err := s.aside.note.Close(); err != nil { // the run ends
		t.Fatal(err)
	}
	for range 2 {
		if err := Recover(s.dir); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(former); err != nil {
			t.Fatalf("the former fork is gone: %v", err)
		}
	}
	if _, err := os.Stat(filepath.Join(s.dir, "in the way")); err != nil {
		t.Errorf("what lies in the fork's place was touched: %v", err)
	}
	// An empty folder is nothing.
	if err := os.Remove(filepath.Join(s.dir, "in the way")); err != nil {
		t.Fatal(err)
	}
	if err := Recover(s.dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "go.mod")); err != nil {
		t.Errorf("the former fork is not back: %v", err)
	}
}
