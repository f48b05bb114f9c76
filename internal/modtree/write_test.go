package modtree_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/offlock/offlock/internal/modtree"
)

// writeTree puts a tree in a new folder and returns it.
func writeTree(t *testing.T, tree *modtree.Tree) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "third_party", "fork")
	replaceTree(t, tree, dir)
	return dir
}

func replaceTree(t *testing.T, tree *modtree.Tree, dir string) {
	t.Helper()
	swap, err := tree.Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(swap.Commit(), swap.Done()); err != nil {
		t.Fatal(err)
	}
}

// folder reads a folder: path to mode and content.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content := ""
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = string(data)
		}
		rel, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = info.Mode().String() + " " + content
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// otherTree differs from exampleTree.
func otherTree(t *testing.T) *modtree.Tree {
	t.Helper()
	tree, err := modtree.NewTree(smallBase(t), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestWrite(t *testing.T) {
	tree := exampleTree(t)
	dir := writeTree(t, tree)
	written := folder(t, dir)
	for _, path := range tree.Paths() {
		content, _ := tree.Content(path)
		if want := "-rw-r--r-- " + string(content); written[path] != want {
			t.Errorf("%s is\n%s\nwant\n%s", path, written[path], want)
		}
		delete(written, path)
	}
	for path, mode := range written {
		if mode != "drwxr-xr-x " {
			t.Errorf("%s should not be there: %s", path, mode)
		}
	}
	if beside := names(t, filepath.Dir(dir)); len(beside) != 1 {
		t.Errorf("left beside the fork: %v", beside)
	}
	goCommand(t, dir, "vet", "./...")

	replaceTree(t, otherTree(t), dir)
	if _, err := os.Stat(filepath.Join(dir, "docs")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file of the former fork is still there: %v", err)
	}
}

func TestUndo(t *testing.T) {
	for _, before := range []string{"nothing", "a fork", "an empty folder"} {
		for _, when := range []string{"before Commit", "after Commit", "after Done"} {
			t.Run(before+", "+when, func(t *testing.T) {
				root := t.TempDir()
				dir := filepath.Join(root, "a", "b", "fork")
				switch before {
				case "a fork":
					replaceTree(t, otherTree(t), dir)
				case "an empty folder":
					if err := os.MkdirAll(dir, 0o755); err != nil {
						t.Fatal(err)
					}
				}
				want := folder(t, root)
				swap, err := exampleTree(t).Write(dir)
				if err != nil {
					t.Fatal(err)
				}
				if when != "before Commit" {
					if err := swap.Commit(); err != nil {
						t.Fatal(err)
					}
				}
				if when == "after Done" {
					if err := swap.Done(); err != nil {
						t.Fatal(err)
					}
					want = folder(t, root)
				}
				for range 2 {
					if err := swap.Undo(); err != nil {
						t.Fatal(err)
					}
				}
				if diff := cmp.Diff(want, folder(t, root)); diff != "" {
					t.Errorf("after Undo (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// Somebody may have deleted the new fork by then; that is no reason to keep the former one away.
func TestUndoWithoutTheNewFork(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "fork")
	replaceTree(t, otherTree(t), dir)
	want := folder(t, root)
	swap, err := exampleTree(t).Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := swap.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := swap.Undo(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, folder(t, root)); diff != "" {
		t.Errorf("after Undo (-want +got):\n%s", diff)
	}
}

func TestSwapMisuse(t *testing.T) {
	swap, err := exampleTree(t).Write(filepath.Join(t.TempDir(), "fork"))
	if err != nil {
		t.Fatal(err)
	}
	if swap.Done() == nil {
		t.Error("Done before Commit is no error")
	}
	if err := swap.Commit(); err != nil {
		t.Fatal(err)
	}
	if swap.Commit() == nil {
		t.Error("a second Commit is no error")
	}
	if err := swap.Done(); err != nil {
		t.Fatal(err)
	}
	if err := swap.Done(); err != nil {
		t.Errorf("a second Done: %v", err)
	}
}

// What appears at the place between Write and Commit comes back when Commit fails.
func TestCommitFails(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "fork")
	replaceTree(t, otherTree(t), dir)
	swap, err := exampleTree(t).Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	asides, err := filepath.Glob(filepath.Join(root, ".fork.offlock-*", "new"))
	if err != nil || len(asides) != 1 {
		t.Fatalf("aside folders: %v, %v", asides, err)
	}
	if err := os.RemoveAll(asides[0]); err != nil {
		t.Fatal(err)
	}
	want := folder(t, dir)
	if swap.Commit() == nil {
		t.Error("Commit without the new folder is no error")
	}
	if diff := cmp.Diff(want, folder(t, dir)); diff != "" {
		t.Errorf("the former fork (-want +got):\n%s", diff)
	}
	if err := swap.Undo(); err != nil {
		t.Fatal(err)
	}
	if beside := names(t, root); len(beside) != 1 {
		t.Errorf("left beside the fork: %v", beside)
	}
}

func TestWriteRefuses(t *testing.T) {
	foreign, edited := new(*modtree.ForeignFolderError), new(*modtree.EditedError)
	for _, tt := range []struct {
		name   string
		target any // type of the error; nil: that of the system
		words  string
		setUp  func(t *testing.T, dir string)
	}{
		{"a file", foreign, "a file", func(t *testing.T, dir string) { writeFile(t, dir, "mine") }},
		{"a link to a folder", foreign, "symbolic link", func(t *testing.T, dir string) {
			symlink(t, t.TempDir(), dir)
		}},
		{"a link to nothing", foreign, "symbolic link", func(t *testing.T, dir string) {
			symlink(t, "missing", dir)
		}},
		{"someone's folder", foreign, "did not write", func(t *testing.T, dir string) {
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(dir, "go.mod"), "module mine\n")
		}},
		{"an edited fork", edited, "flag.go", func(t *testing.T, dir string) {
			replaceTree(t, otherTree(t), dir)
			writeFile(t, filepath.Join(dir, "flag.go"), "package mine\n")
		}},
		{"a fork without marker", edited, "offlock_marker.go", func(t *testing.T, dir string) {
			replaceTree(t, otherTree(t), dir)
			if err := os.Remove(filepath.Join(dir, "exporter", "offlock_marker.go")); err != nil {
				t.Fatal(err)
			}
		}},
		{"a file as parent", nil, "fork", func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Dir(dir)); err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Dir(dir), "mine")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			dir := filepath.Join(root, "parent", "fork")
			if err := os.Mkdir(filepath.Dir(dir), 0o755); err != nil {
				t.Fatal(err)
			}
			tt.setUp(t, dir)
			want := folder(t, root)
			swap, err := exampleTree(t).Write(dir)
			if err == nil || swap != nil || !strings.Contains(err.Error(), tt.words) {
				t.Errorf("Write = %v, %v; want an error with %q", swap, err, tt.words)
			}
			if tt.target != nil && !errors.As(err, tt.target) {
				t.Errorf("error of type %T, want %T: %v", err, tt.target, err)
			}
			if diff := cmp.Diff(want, folder(t, root)); diff != "" {
				t.Errorf("something changed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWriteFailsWhole(t *testing.T) {
	root := t.TempDir()
	places := map[string]string{
		// Longer than any file system's names, once the aside folder's own characters are added.
		"name too long": filepath.Join(root, "made", strings.Repeat("n", 250)),
		"file system's": string(filepath.Separator),
	}
	readOnly := filepath.Join(root, "read-only")
	if err := os.Mkdir(readOnly, 0o555); err != nil {
		t.Fatal(err)
	}
	if probe, err := os.Create(filepath.Join(readOnly, "probe")); err == nil {
		// A superuser may write anywhere: nothing is read-only for it.
		probe.Close()
		os.Remove(probe.Name())
	} else {
		places["read-only parent"] = filepath.Join(readOnly, "made", "fork")
	}
	want := folder(t, root)
	for name, dir := range places {
		t.Run(name, func(t *testing.T) {
			if swap, err := exampleTree(t).Write(dir); err == nil || swap != nil || !strings.Contains(err.Error(), dir) {
				t.Errorf("Write = %v, %v; want an error that names %s", swap, err, dir)
			}
			if diff := cmp.Diff(want, folder(t, root)); diff != "" {
				t.Errorf("something stayed (-want +got):\n%s", diff)
			}
		})
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func symlink(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

// goCommand runs the go command on a module that needs no other, so without network.
func goCommand(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off", "GOTOOLCHAIN=local")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
