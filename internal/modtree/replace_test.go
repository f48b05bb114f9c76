package modtree_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/offlock/offlock/internal/modtree"
)

func TestReplaceFile(t *testing.T) {
	for _, mode := range []fs.FileMode{0o644, 0o600, 0o755, 0o400} {
		for _, former := range []string{"", "former content, which is longer"} {
			dir := t.TempDir()
			path := filepath.Join(dir, "go.mod")
			if former != "" {
				writeFile(t, path, former)
			}
			if err := modtree.ReplaceFile(path, []byte("new"), mode); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != "new" {
				t.Errorf("%v over %q: the file holds %q, %v", mode, former, got, err)
			}
			if beside := names(t, dir); len(beside) != 1 {
				t.Errorf("left beside the file: %v", beside)
			}
			info, err := os.Lstat(path)
			if err != nil {
				t.Fatal(err)
			}
			if runtime.GOOS != "windows" && info.Mode() != mode {
				t.Errorf("mode %v, want %v", info.Mode(), mode)
			}
		}
	}
}

// Monorepos share a go.sum by a link: the shared file changes, and the link stays, whatever it is relative to.
func TestReplaceFileKeepsLinks(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"service/deep", "shared"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	shared := filepath.Join(root, "shared", "go.sum")
	writeFile(t, shared, "former")
	links := map[string]string{
		filepath.Join(root, "service", "go.sum"):         filepath.Join("..", "shared", "go.sum"),
		filepath.Join(root, "service", "deep", "go.sum"): filepath.Join("..", "go.sum"), // a link to a link
	}
	for link, target := range links {
		if err := os.Symlink(target, link); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	for link := range links {
		content := "by " + link
		if err := modtree.ReplaceFile(link, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(shared); err != nil || string(got) != content {
			t.Errorf("the shared file holds %q, %v; want %q", got, err, content)
		}
	}
	for link, target := range links {
		if got, err := os.Readlink(link); err != nil || got != target {
			t.Errorf("link %s leads to %q, %v; want %q", link, got, err, target)
		}
	}
	if got := names(t, filepath.Join(root, "service")); len(got) != 2 {
		t.Errorf("left beside the link: %v", got)
	}
}

func TestReplaceFileFails(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(full, "in it"), 0o755); err != nil {
		t.Fatal(err)
	}
	loose := filepath.Join(dir, "loose")
	if err := os.Symlink("missing", loose); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	before := names(t, dir)
	if err := modtree.ReplaceFile(full, nil, 0o644); err == nil {
		t.Error("replacing a folder is no error")
	}
	for _, path := range []string{loose, filepath.Join(dir, "missing", "file")} {
		if err := modtree.ReplaceFile(path, nil, 0o644); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: error %v, want fs.ErrNotExist", path, err)
		}
	}
	if diff := cmp.Diff(before, names(t, dir)); diff != "" {
		t.Errorf("left behind (-want +got):\n%s", diff)
	}
	if _, err := os.Readlink(loose); err != nil {
		t.Error(err)
	}
}
