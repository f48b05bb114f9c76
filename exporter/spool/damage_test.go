package spool

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A file that is damaged, foreign or unfinished never holds up the others, and nothing is thrown away but what was never finished.
func TestDamagedAndForeignFiles(t *testing.T) {
	type place struct{ dir, folder, first, second string }
	change := func(t *testing.T, path string, how func([]byte) []byte) {
		t.Helper()
		content, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, how(content), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct {
		do     func(t *testing.T, p place)
		sent   []int64
		aside  int
		reason string
	}{
		"whole": {func(*testing.T, place) {}, []int64{1, 2}, 0, ""},
		"torn": {func(t *testing.T, p place) {
			change(t, p.first, func(content []byte) []byte { return content[:len(content)/2] })
		}, []int64{2}, 1, "bytes long and should be"},
		"empty": {func(t *testing.T, p place) {
			change(t, p.first, func([]byte) []byte { return nil })
		}, []int64{2}, 1, "shorter than its header"},
		"zeros": {func(t *testing.T, p place) {
			change(t, p.first, func(content []byte) []byte { return make([]byte, len(content)) })
		}, []int64{2}, 1, "no batch file"},
		"a changed byte": {func(t *testing.T, p place) {
			change(t, p.first, func(content []byte) []byte { content[len(content)-3]++; return content })
		}, []int64{2}, 1, "checksum"},
		"another version": {func(t *testing.T, p place) {
			change(t, p.first, func(content []byte) []byte { content[11]++; return content })
		}, []int64{2}, 1, "version 2"},
		"a payload that is none": {func(t *testing.T, p place) {
			change(t, p.first, func([]byte) []byte { file := append(newFile(9), "nonsense!"...); seal(file); return file })
		}, []int64{2}, 1, "ends in the middle"},
		"a foreign file": {func(t *testing.T, p place) {
			if err := os.WriteFile(filepath.Join(p.folder, "notes.txt"), []byte("notes"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, []int64{1, 2}, 1, "by its name or kind"},
		"a folder in its place": {func(t *testing.T, p place) {
			if err := os.MkdirAll(filepath.Join(p.folder, fileName(5, 1), "more"), 0o700); err != nil {
				t.Fatal(err)
			}
		}, []int64{1, 2}, 1, "by its name or kind"},
		"a link": {func(t *testing.T, p place) {
			if err := os.Symlink(p.first, filepath.Join(p.folder, fileName(5, 1))); err != nil {
				t.Skip(err) // Windows asks for a right
			}
		}, []int64{1, 2}, 1, "by its name or kind"},
		"unfinished": {func(t *testing.T, p place) {
			if err := os.Rename(p.first, p.first+unfinished); err != nil {
				t.Fatal(err)
			}
		}, []int64{2}, 0, ""},
		"things beside the folders": {func(t *testing.T, p place) {
			for _, other := range []string{"spool-other", "lost+found"} {
				if err := os.Mkdir(filepath.Join(p.dir, other), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(p.dir, "spool-other.lock"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, []int64{1, 2}, 0, ""},
		"a lock without a folder": {func(t *testing.T, p place) {
			if err := os.WriteFile(filepath.Join(p.dir, "spool-0123456789abcdef.lock"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, []int64{1, 2}, 0, ""},
		"a folder without a lock": {func(t *testing.T, p place) {
			if err := os.Remove(p.folder + lockSuffix); err != nil {
				t.Fatal(err)
			}
		}, []int64{1, 2}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				before := open(t, &fakeSink{do: down}, Options{After: -1})
				for i := int64(1); i <= 2; i++ {
					if err := export(before, i); err != nil {
						t.Fatal(err)
					}
				}
				stop(t, before)
				dir := before.options.Dir
				files, _ := filepath.Glob(filepath.Join(dir, "spool-*", "*"))
				if len(files) != 2 {
					t.Fatalf("the folder holds %v", tree(t, dir))
				}
				test.do(t, place{dir, filepath.Dir(files[0]), files[0], files[1]})

				var log logs
				sink := &fakeSink{}
				s := open(t, sink, Options{Dir: dir, Logger: log.logger()})
				s.Start()
				time.Sleep(time.Minute)
				if diff := cmp.Diff(test.sent, sink.tookFirsts()); diff != "" {
					t.Error(diff)
				}
				stop(t, s)
				aside, _ := os.ReadDir(filepath.Join(dir, asideName))
				if now := s.Stats(); int(now.SetAside) != test.aside || len(aside) != test.aside || now.Missing+now.Dropped+now.Left != 0 {
					t.Errorf("%d files aside, %+v", len(aside), now)
				}
				if log.count("was set aside") != test.aside || test.aside > 0 && log.count(test.reason) != 1 {
					t.Errorf("the log says %q", log.lines)
				}
				for _, name := range tree(t, dir) {
					if isFolderName(strings.TrimSuffix(name, lockSuffix)) {
						t.Errorf("%s is left", name)
					}
				}
			})
		})
	}
}
