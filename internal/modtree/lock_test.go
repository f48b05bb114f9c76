package modtree_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/offlock/offlock/internal/modtree"
)

func exampleLock() *modtree.Lock {
	return &modtree.Lock{
		Tool: "v0.1.0", Module: modtree.UpstreamPath, Base: "v1.55.2", Sum: "h1:a", GoModSum: "h1:b", Commit: "0123",
		Hash: "h1:c", Patches: []string{"0001-first"}, Only: []string{"0001"},
		Edits: []modtree.Edit{{
			File: "../go.mod", Before: "aa", After: "bb",
			Hunks: []modtree.Hunk{{Line: 9, Removed: []string{"\t<old> & more"}, Added: []string{"", "replace a => b"}}},
		}},
		GoSum: []modtree.SumLines{{File: "../go.sum", Lines: []string{"a v1.0.0 h1:a"}}},
	}
}

func TestLockRoundTrip(t *testing.T) {
	path := modtree.LockPath(filepath.Join(t.TempDir(), "fork") + string(filepath.Separator))
	if filepath.Base(path) != "fork.lock.json" {
		t.Fatalf("lock path is %s", path)
	}
	for name, lock := range map[string]*modtree.Lock{
		"full": exampleLock(),
		"bare": {Module: "m", Base: "v1.0.0", Sum: "h1:a", Hash: "h1:b", Patches: []string{}, Edits: []modtree.Edit{}, GoSum: []modtree.SumLines{}},
	} {
		if err := modtree.WriteLock(path, lock); err != nil {
			t.Fatal(err)
		}
		written, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := lock.Encode(); err != nil || string(data) != string(written) {
			t.Errorf("%s lock: Encode = %s, %v; the file holds\n%s", name, data, err, written)
		}
		got, err := modtree.ReadLock(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(lock, got); diff != "" {
			t.Errorf("%s lock (-written +read):\n%s", name, diff)
		}
	}
	if left := names(t, filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left beside the lock: %v", left)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v; want 0644", info.Mode(), err)
	}
}

// The file is read by people in reviews, and the same lock has one form.
func TestLockForm(t *testing.T) {
	dir := t.TempDir()
	lock := exampleLock()
	lock.Edits[0].Hunks = nil
	path := filepath.Join(dir, "full")
	if err := modtree.WriteLock(path, exampleLock()); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"\n  \"base\": \"v1.55.2\",\n", `"replace a => b"`, `<old> & more`} {
		if !strings.Contains(string(content), part) {
			t.Errorf("lock lacks %q:\n%s", part, content)
		}
	}
	bare, empty := filepath.Join(dir, "bare"), filepath.Join(dir, "empty")
	if err := errors.Join(
		modtree.WriteLock(bare, &modtree.Lock{Base: "v1.0.0"}),
		modtree.WriteLock(empty, &modtree.Lock{Base: "v1.0.0", Patches: []string{}, Edits: []modtree.Edit{}, GoSum: []modtree.SumLines{}}),
	); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(folder(t, dir)["bare"], folder(t, dir)["empty"]); diff != "" {
		t.Errorf("nil and empty lists differ:\n%s", diff)
	}
}

func TestReadLockErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fork.lock.json")
	if _, err := modtree.ReadLock(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want fs.ErrNotExist", err)
	}
	for name, content := range map[string]string{
		"empty":          "",
		"no JSON":        "<<<<<<< ours\n",
		"cut off":        `{"module": "m", "base": "v1`,
		"unknown field":  `{"module": "m", "base": "v1.0.0", "sum": "h1:a", "hash": "h1:b", "later": 1}`,
		"wrong type":     `{"module": "m", "base": 1}`,
		"something else": `{"name": "package"}`,
		"nothing in it":  `{}`,
		"two":            `{"module": "m", "base": "v1.0.0", "sum": "h1:a", "hash": "h1:b"} {}`,
	} {
		writeFile(t, path, content)
		if lock, err := modtree.ReadLock(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: ReadLock = %v, %v; want an error that names the file", name, lock, err)
		}
	}
}

func TestWriteLockFails(t *testing.T) {
	dir := t.TempDir()
	if err := modtree.WriteLock(filepath.Join(dir, "missing", "lock.json"), exampleLock()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want fs.ErrNotExist", err)
	}
	path := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(path, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if modtree.WriteLock(path, exampleLock()) == nil {
		t.Error("writing over a folder is no error")
	}
	if left := names(t, dir); len(left) != 1 {
		t.Errorf("left beside the lock: %v", left)
	}
}
