package regress

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWorkdir(t *testing.T) {
	if !supported {
		t.Skip(ErrUnsupported)
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	folder := func(name string, files map[string]string) {
		t.Helper()
		if err := os.Mkdir(filepath.Join(temp, name), 0o755); err != nil {
			t.Fatal(err)
		}
		for file, content := range files {
			if err := os.WriteFile(filepath.Join(temp, name, file), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	// What a killed call leaves is a folder with a note that nobody holds.
	folder("offlock-prove-dead", map[string]string{noteName: noteText, "binary": "x"})
	folder("offlock-prove-foreign", map[string]string{"notes.txt": "mine"})
	folder("offlock-prove-other-note", map[string]string{noteName: noteText + "and more"})
	folder("else", map[string]string{noteName: noteText})
	kept := []string{"else", "offlock-prove-foreign", "offlock-prove-other-note"}

	first, err := newWorkdir()
	if err != nil {
		t.Fatal(err)
	}
	second, err := newWorkdir() // must leave the first alone
	if err != nil {
		t.Fatal(err)
	}
	want := append([]string{filepath.Base(first.path), filepath.Base(second.path)}, kept...)
	slices.Sort(want)
	if got := names(t, temp); !slices.Equal(got, want) {
		t.Errorf("while two calls run there are %q, want %q", got, want)
	}
	for _, w := range []*workdir{first, second} {
		if err := w.remove(); err != nil {
			t.Error(err)
		}
	}
	if got := names(t, temp); !slices.Equal(got, kept) {
		t.Errorf("afterwards there are %q, want %q", got, kept)
	}
}

// names are the entries of dir, sorted.
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
