package modtree_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/offlock/offlock/internal/modtree"
)

// interrupted returns a folder as a run leaves it that dies at some point of a swap. The run is copied while it holds
// its aside folder, because a dead run holds nothing.
func interrupted(t *testing.T, die func(swap *modtree.Swap, root string)) (dir string) {
	t.Helper()
	live := t.TempDir()
	replaceTree(t, otherTree(t), filepath.Join(live, "fork"))
	swap, err := exampleTree(t).Write(filepath.Join(live, "fork"))
	if err != nil {
		t.Fatal(err)
	}
	die(swap, live)
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(live)); err != nil {
		t.Fatal(err)
	}
	if err := swap.Undo(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "fork")
}

func TestRecover(t *testing.T) {
	former := folder(t, writeTree(t, otherTree(t)))
	latter := folder(t, writeTree(t, exampleTree(t)))
	commit := func(t *testing.T, swap *modtree.Swap) {
		if err := swap.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name string
		die  func(t *testing.T, swap *modtree.Swap, dir string)
		lose bool // the copy's fork folder, as between the two renames of Commit
		want map[string]string
	}{
		{"before Commit", func(*testing.T, *modtree.Swap, string) {}, false, former},
		{"between the renames", func(t *testing.T, swap *modtree.Swap, _ string) { commit(t, swap) }, true, former},
		{"after Commit", func(t *testing.T, swap *modtree.Swap, _ string) { commit(t, swap) }, false, latter},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := interrupted(t, func(swap *modtree.Swap, root string) { tt.die(t, swap, root) })
			if tt.lose {
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
			}
			if n := len(names(t, filepath.Dir(dir))); n < 1 {
				t.Fatal("nothing to recover from")
			}
			for range 2 {
				if err := modtree.Recover(dir); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff([]string{"fork"}, names(t, filepath.Dir(dir))); diff != "" {
				t.Errorf("folders (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, folder(t, dir)); diff != "" {
				t.Errorf("fork (-want +got):\n%s", diff)
			}
			replaceTree(t, exampleTree(t), dir) // and the next run goes through
		})
	}
}

// Only what is provably left by offlock is removed, and nothing that a running program holds.
func TestRecoverLeavesOthers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "fork")
	running, err := exampleTree(t).Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Dir(dir)
	mine := filepath.Join(root, ".fork.offlock-mine")
	otherNote := filepath.Join(root, ".fork.offlock-note")
	for _, dir := range []string{mine, otherNote} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(mine, "go.mod"), "module mine\n")
	writeFile(t, filepath.Join(otherNote, "offlock-aside.txt"), "shopping list\n")
	writeFile(t, filepath.Join(root, ".fork.offlock-file"), "a file\n")
	if err := os.Mkdir(filepath.Join(root, ".fork.offlock-empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	want := folder(t, root)
	delete(want, ".fork.offlock-empty") // a run that died before it wrote its note

	if err := modtree.Recover(dir); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, folder(t, root)); diff != "" {
		t.Errorf("beside the fork (-want +got):\n%s", diff)
	}
	if err := running.Commit(); err != nil {
		t.Errorf("the running program is disturbed: %v", err)
	}
	if err := running.Done(); err != nil {
		t.Error(err)
	}
}

func TestRecoverNothing(t *testing.T) {
	if err := modtree.Recover(filepath.Join(t.TempDir(), "missing", "fork")); err != nil {
		t.Error(err)
	}
}
