package modtree_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/offlock/offlock/internal/modtree"
)

func TestEdited(t *testing.T) {
	write := func(name, content string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { writeFile(t, filepath.Join(dir, filepath.FromSlash(name)), content) }
	}
	remove := func(name string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
				t.Fatal(err)
			}
		}
	}
	replace := func(name, old, new string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, filepath.FromSlash(name))
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(content, []byte(old)) {
				t.Fatalf("%s does not contain %q", name, old)
			}
			writeFile(t, path, strings.Replace(string(content), old, new, 1))
		}
	}
	const marker = "exporter/offlock_marker.go"
	for _, tt := range []struct {
		name string
		edit func(t *testing.T, dir string)
		want []string
	}{
		{"nothing", func(*testing.T, string) {}, nil},
		{"CRLF checkout", toCRLF, nil},
		{"an empty folder", func(t *testing.T, dir string) {
			if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, nil},
		{"changed", write("flag.go", "package changed\n"), []string{"flag.go"}},
		{"one blank line more", replace("flag.go", "\npackage", "\n\npackage"), []string{"flag.go"}},
		{"added", write("exporter/mine.go", "package exporter\n"), []string{"exporter/mine.go"}},
		{"added, hidden", write(".DS_Store", ""), []string{".DS_Store"}},
		{"removed", remove("exporter/testdata/golden.txt"), []string{"exporter/testdata/golden.txt"}},
		{"renamed", func(t *testing.T, dir string) {
			if err := os.Rename(filepath.Join(dir, "flag.go"), filepath.Join(dir, "gate.go")); err != nil {
				t.Fatal(err)
			}
		}, []string{"flag.go", "gate.go"}},
		{"a link to the same content", func(t *testing.T, dir string) {
			path := filepath.Join(dir, "flag.go")
			moved := filepath.Join(t.TempDir(), "flag.go")
			if err := os.Rename(path, moved); err != nil {
				t.Fatal(err)
			}
			symlink(t, moved, path)
		}, []string{"flag.go"}},
		{"the notice", write("OFFLOCK.md", "# Mine\n"), []string{"OFFLOCK.md"}},
		{"the marker", replace(marker, "v1.55.2", "v1.55.9"), []string{marker}},
		{"code beside the marker", replace(marker, "func init() {", "func init() {\n\tprintln()"), []string{marker}},
		{"no marker", remove(marker), []string{marker}},
		{"the checksums, and a file with them", func(t *testing.T, dir string) {
			write("added.go", "package added\n")(t, dir)
			replace("OFFLOCK.sum", "", strings.Repeat("0", 64)+"  added.go\n")(t, dir)
		}, []string{"OFFLOCK.sum", "added.go"}},
		{"a line of the checksums removed", func(t *testing.T, dir string) {
			remove("LICENSE")(t, dir)
			path := filepath.Join(dir, "OFFLOCK.sum")
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, path, string(content[bytes.IndexByte(content, '\n')+1:]))
		}, []string{"OFFLOCK.sum"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree := exampleTree(t)
			dir := writeTree(t, tree)
			tt.edit(t, dir)
			got, err := modtree.Edited(dir, tree.Marker.Hash)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("edited (-want +got):\n%s", diff)
			}

			var edited *modtree.EditedError
			switch err := modtree.CheckTarget(dir); {
			case len(tt.want) == 0 && err != nil:
				t.Errorf("CheckTarget of an unedited fork: %v", err)
			case len(tt.want) > 0 && !errors.As(err, &edited):
				t.Errorf("CheckTarget = %v, want an EditedError", err)
			}
		})
	}

	t.Run("no checksums", func(t *testing.T) {
		tree := exampleTree(t)
		dir := writeTree(t, tree)
		remove("OFFLOCK.sum")(t, dir)
		got, err := modtree.Edited(dir, tree.Marker.Hash)
		if err != nil || len(got) == 0 || got[0] != "LICENSE" {
			t.Errorf("Edited = %v, %v; want every file", got, err)
		}
	})
	t.Run("hash of another fork", func(t *testing.T) {
		dir := writeTree(t, exampleTree(t))
		got, err := modtree.Edited(dir, otherTree(t).Marker.Hash)
		if diff := cmp.Diff([]string{"OFFLOCK.sum", marker}, got); diff != "" || err != nil {
			t.Errorf("edited (-want +got), %v:\n%s", err, diff)
		}
	})
	t.Run("no folder", func(t *testing.T) {
		_, err := modtree.Edited(filepath.Join(t.TempDir(), "missing"), "h1:x")
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("error %v, want fs.ErrNotExist", err)
		}
	})
	t.Run("a link to the folder", func(t *testing.T) {
		tree := exampleTree(t)
		link := filepath.Join(t.TempDir(), "link")
		symlink(t, writeTree(t, tree), link)
		var foreign *modtree.ForeignFolderError
		if _, err := modtree.Edited(link, tree.Marker.Hash); !errors.As(err, &foreign) {
			t.Errorf("error %v, want a ForeignFolderError", err)
		}
	})
}

func TestEditedErrorIsShort(t *testing.T) {
	err := &modtree.EditedError{Dir: "fork", Paths: []string{"a", "b", "c", "d", "e", "f", "g"}}
	if got := err.Error(); !strings.Contains(got, "a, b, c, d, e and 2 more") {
		t.Errorf("message %q", got)
	}
}

// toCRLF rewrites every file of a folder as a checkout with CRLF line ends has it.
func toCRLF(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, bytes.ReplaceAll(content, []byte("\n"), []byte("\r\n")), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}
