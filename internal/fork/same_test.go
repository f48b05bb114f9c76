package fork_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/offlock/offlock/internal/fork"
	"github.com/offlock/offlock/internal/modtree"
	"github.com/offlock/offlock/internal/modtree/modtreetest"
	"github.com/offlock/offlock/patches"
)

// Two users of the same tool get the same fork and the same facts for their lock, whatever proxy, module cache,
// platform and environment they have.
func TestBuildIsTheSameEverywhere(t *testing.T) {
	w := newWorld(t)
	w.release(t, unrecorded, map[string][]byte{"flag.go": []byte("// Package flag changed.\npackage flag\n")})

	type place struct {
		name   string
		commit string // that the proxy tells
		goSum  func(modtree.Hashes) modtree.Hashes
		setUp  func(t *testing.T)
	}
	all := func(h modtree.Hashes) modtree.Hashes { return h }
	places := []place{
		{"plain", "", all, func(*testing.T) {}},
		{"proxy that tells a commit", "89abcdef0123456789abcdef0123456789abcdef", all, func(*testing.T) {}},
		{"proxy that tells another", "fedcba9876543210fedcba9876543210fedcba98", all, func(*testing.T) {}},
		{"go.sum without the go.mod line", "", func(h modtree.Hashes) modtree.Hashes { return modtree.Hashes{Sum: h.Sum} }, func(*testing.T) {}},
		{"other platform, zone, words and temporary folder", "", all, func(t *testing.T) {
			temp := t.TempDir()
			for name, value := range map[string]string{
				"GOOS": "windows", "GOARCH": "arm64", "CGO_ENABLED": "0", "GOEXPERIMENT": "", "TZ": "Asia/Tokyo", "LC_ALL": "de_DE.UTF-8",
				"USER": "someone", "HOME": temp, "GOCACHE": filepath.Join(temp, "build"), "TMPDIR": temp, "SOURCE_DATE_EPOCH": "1",
			} {
				t.Setenv(name, value)
			}
		}},
		{"inside another module", "", all, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/other\n\ngo 1.21\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			t.Setenv("GOFLAGS", "-modcacherw -mod=vendor")
		}},
	}
	for version, commit := range map[string]string{recorded: recordedCommit, unrecorded: ""} {
		want := map[string]string{}
		for _, p := range places {
			t.Run(version+", "+p.name, func(t *testing.T) {
				if err := modtreetest.WriteOrigin(w.proxy, version, p.commit); err != nil {
					t.Fatal(err)
				}
				t.Setenv("GOMODCACHE", t.TempDir())
				p.setUp(t)
				f, err := fork.Build(t.Context(), w.series, version, p.goSum(w.sums[version]), patches.Selection{})
				if err != nil {
					t.Fatal(err)
				}
				if f.Base.Commit != commit {
					t.Errorf("commit %q, want %q as recorded", f.Base.Commit, commit)
				}
				if diff := cmp.Diff(w.sums[version], f.Base.Hashes); diff != "" {
					t.Errorf("hashes (-want +got):\n%s", diff)
				}
				got := map[string]string{}
				for _, path := range f.Tree.Paths() {
					content, _ := f.Tree.Content(path)
					got[path] = string(content)
				}
				if len(want) == 0 {
					want = got
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("the fork differs from that of the first place (-first +this):\n%s", diff)
				}
			})
		}
	}
}
