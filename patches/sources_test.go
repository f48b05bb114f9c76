package patches

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What patches copy is what is in the folders of this module, whole.
func TestSources(t *testing.T) {
	for name := range folders {
		want, err := filepath.Glob(filepath.Join("..", name, "*.go"))
		if err != nil || len(want) == 0 {
			t.Fatalf("%s: %d files, error %v", name, len(want), err)
		}
		got, err := fs.Glob(folders, name+"/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for i, file := range want {
			want[i] = filepath.ToSlash(file[len("../"):])
			there, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			here, err := fs.ReadFile(folders, want[i])
			if diff := cmp.Diff(string(there), string(here)); diff != "" || err != nil {
				t.Errorf("%s: error %v (-folder +embedded):\n%s", file, err, diff)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-folder +embedded):\n%s", name, diff)
		}
	}
	for _, name := range []string{"other/store.go", "eventstore/missing.go", "eventstore/../eventstore/store.go", ""} {
		if _, err := folders.Open(name); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("Open(%q): error %v", name, err)
		}
	}
}
