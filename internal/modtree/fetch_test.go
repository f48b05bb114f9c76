package modtree_test

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/offlock/offlock/internal/modtree"
	"github.com/offlock/offlock/internal/modtree/modtreetest"
)

const madeUp = "v1.55.3"

// smallBase is a tiny module instead of upstream's.
func smallBase(t *testing.T) *modtree.Base {
	t.Helper()
	base, err := modtreetest.SmallBase(t.TempDir(), "v1.55.2")
	if err != nil {
		t.Fatal(err)
	}
	return base
}

// serveMadeUp serves the small module as a version of upstream to a module cache of the test's own, without network,
// and returns the hashes and the cache.
func serveMadeUp(t *testing.T) (modtree.Hashes, string) {
	t.Helper()
	proxy, cache := t.TempDir(), t.TempDir()
	hashes, err := modtreetest.WriteProxy(proxy, smallBase(t), madeUp, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOPROXY", modtreetest.URL(proxy))
	t.Setenv("GOMODCACHE", cache)
	t.Setenv("GOFLAGS", "-modcacherw")
	return hashes, cache
}

func TestFetch(t *testing.T) {
	want, cache := serveMadeUp(t)
	base, err := modtree.Fetch(t.Context(), madeUp, want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, base.Hashes); diff != "" {
		t.Errorf("hashes (-served +fetched):\n%s", diff)
	}
	if !strings.HasPrefix(base.Dir, cache) {
		t.Errorf("folder %s is not in GOMODCACHE %s", base.Dir, cache)
	}
	f, err := base.FS().Open("exporter/exporter.go")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()

	again, err := modtree.Fetch(t.Context(), madeUp, modtree.Hashes{Sum: want.Sum})
	if err != nil {
		t.Fatalf("without a go.mod hash: %v", err)
	}
	if diff := cmp.Diff(base, again); diff != "" {
		t.Errorf("second fetch differs:\n%s", diff)
	}
}

// What a proxy tells beside the module is verified by nothing, so only a record may hold it: a fork must not depend on it.
func TestFetchBelievesNoOrigin(t *testing.T) {
	const commit = "89abcdef0123456789abcdef0123456789abcdef"
	proxy := t.TempDir()
	want, err := modtreetest.WriteProxy(proxy, smallBase(t), madeUp, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := modtreetest.WriteOrigin(proxy, madeUp, commit); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOPROXY", modtreetest.URL(proxy))
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw")
	t.Setenv("GONOSUMDB", modtree.UpstreamPath)

	told, err := modtree.FetchUnpinned(t.Context(), madeUp)
	if err != nil {
		t.Fatal(err)
	}
	if told.Commit != commit {
		t.Errorf("the proxy tells commit %q, want %q", told.Commit, commit)
	}
	base, err := modtree.Fetch(t.Context(), madeUp, want)
	if err != nil {
		t.Fatal(err)
	}
	if base.Commit != "" {
		t.Errorf("a pinned base has the commit %s, which nothing pins", base.Commit)
	}
}

// The module that the tool runs in, and one around the temporary folder, must not redirect the download.
func TestFetchIgnoresOtherModules(t *testing.T) {
	want, _ := serveMadeUp(t)
	service := t.TempDir()
	gomod := "module example.com/service\n\ngo 1.21\n\nreplace " + modtree.UpstreamPath + " => ./elsewhere\n"
	writeFile(t, filepath.Join(service, "go.mod"), gomod)
	writeFile(t, filepath.Join(service, "go.work"), "go 1.21\n\nuse .\n")
	temp := filepath.Join(service, "tmp")
	if err := os.Mkdir(temp, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(service)
	t.Setenv("TMPDIR", temp)
	t.Setenv("GOFLAGS", "-modcacherw -mod=vendor -modfile=other.mod '-overlay=an overlay.json'")
	t.Setenv("GO111MODULE", "off")
	if _, err := modtree.Fetch(t.Context(), madeUp, want); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
}

func TestFetchChecksum(t *testing.T) {
	const wrong = "h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	cacheFile := func(cache, ext string) string {
		return filepath.Join(cache, "cache", "download", filepath.FromSlash(modtree.UpstreamPath), "@v", madeUp+ext)
	}
	folder := func(cache string) string {
		return filepath.Join(cache, filepath.FromSlash(modtree.UpstreamPath)+"@"+madeUp)
	}
	for _, tt := range []struct {
		name   string
		want   func(h *modtree.Hashes)
		tamper func(t *testing.T, cache string)
		what   string
	}{
		{name: "other module wanted", want: func(h *modtree.Hashes) { h.Sum = wrong }, what: "the zip"},
		{name: "other go.mod wanted", want: func(h *modtree.Hashes) { h.GoModSum = wrong }, what: "go.mod"},
		{name: "zip tampered", what: "the zip", tamper: func(t *testing.T, cache string) {
			addToZip(t, cacheFile(cache, ".zip"), modtree.UpstreamPath+"@"+madeUp+"/exporter/extra.go", "package exporter\n")
		}},
		{name: "zip truncated", what: "the zip", tamper: func(t *testing.T, cache string) {
			if err := os.Truncate(cacheFile(cache, ".zip"), 100); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "file changed in the folder", what: "the folder", tamper: func(t *testing.T, cache string) {
			writeFile(t, filepath.Join(folder(cache), "exporter", "exporter.go"), "package exporter\n")
		}},
		{name: "file added to the folder", what: "the folder", tamper: func(t *testing.T, cache string) {
			writeFile(t, filepath.Join(folder(cache), "exporter", "extra.go"), "package exporter\n")
		}},
		{name: "file removed from the folder", what: "the folder", tamper: func(t *testing.T, cache string) {
			if err := os.Remove(filepath.Join(folder(cache), "LICENSE")); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "go.mod tampered", what: "go.mod", tamper: func(t *testing.T, cache string) {
			writeFile(t, cacheFile(cache, ".mod"), "module "+modtree.UpstreamPath+"\n\ngo 1.22\n")
		}},
		{name: "note of the go command tampered", what: "what the go command noted", tamper: func(t *testing.T, cache string) {
			writeFile(t, cacheFile(cache, ".ziphash"), wrong)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want, cache := serveMadeUp(t)
			if tt.tamper != nil {
				if _, err := modtree.Fetch(t.Context(), madeUp, want); err != nil {
					t.Fatal(err) // the cache is warm now
				}
				tt.tamper(t, cache)
			}
			if tt.want != nil {
				tt.want(&want)
			}
			base, err := modtree.Fetch(t.Context(), madeUp, want)
			var mismatch *modtree.ChecksumError
			if !errors.As(err, &mismatch) || base != nil {
				t.Fatalf("Fetch = %v, %v; want a checksum error", base, err)
			}
			if mismatch.What != tt.what || mismatch.Got == mismatch.Expected {
				t.Errorf("error is about %s (got %s, expected %s), want %s",
					mismatch.What, mismatch.Got, mismatch.Expected, tt.what)
			}
			for _, part := range []string{mismatch.Path, mismatch.Got, mismatch.Expected, "go clean -modcache"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("message does not name %q: %v", part, err)
				}
			}
		})
	}
}

func TestFetchNeedsChecksum(t *testing.T) {
	serveMadeUp(t)
	base, err := modtree.Fetch(t.Context(), madeUp, modtree.Hashes{GoModSum: "h1:x"})
	if !errors.Is(err, modtree.ErrNoChecksum) || base != nil {
		t.Errorf("Fetch = %v, %v; want ErrNoChecksum", base, err)
	}
}

func TestFetchUnpinned(t *testing.T) {
	want, _ := serveMadeUp(t)
	t.Setenv("GONOSUMDB", "*")
	base, err := modtree.FetchUnpinned(t.Context(), madeUp)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, base.Hashes); diff != "" {
		t.Errorf("hashes (-served +fetched):\n%s", diff)
	}
}

func TestFetchDownloadError(t *testing.T) {
	status := func(code int) func(t *testing.T) {
		return func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
			t.Cleanup(srv.Close)
			t.Setenv("GOPROXY", srv.URL)
		}
	}
	for _, tt := range []struct {
		name, version string
		setUp         func(t *testing.T)
		notFound      bool
		message       string // words of the go command
	}{
		{"no version", "latest", nil, true, "latest"},
		{"short version", "v1.55", nil, true, "three numbers"},
		{"other major", "v2.0.0", nil, true, "v2"},
		{"not in the file tree", "v1.99.0", nil, true, "no such file or directory"},
		{"404", madeUp, status(http.StatusNotFound), true, "404 Not Found"},
		{"410", madeUp, status(http.StatusGone), true, "410 Gone"},
		{"403", madeUp, status(http.StatusForbidden), false, "403 Forbidden"},
		{"proxy broken", madeUp, status(http.StatusInternalServerError), false, "500 Internal Server Error"},
		{"proxy switched off", madeUp, func(t *testing.T) { t.Setenv("GOPROXY", "off") }, false, "GOPROXY=off"},
		{"no network", madeUp, func(t *testing.T) {
			srv := httptest.NewServer(nil)
			t.Setenv("GOPROXY", srv.URL)
			srv.Close()
		}, false, "connect"},
		{"no go command", madeUp, func(t *testing.T) { t.Setenv("PATH", t.TempDir()) }, false, "executable file not found"},
		{"no temporary folder", madeUp, func(t *testing.T) {
			t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
		}, false, "missing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want, _ := serveMadeUp(t)
			if tt.setUp != nil {
				tt.setUp(t)
			}
			_, err := modtree.Fetch(t.Context(), tt.version, want)
			var failed *modtree.DownloadError
			if !errors.As(err, &failed) {
				t.Fatalf("error %v (%T), want a DownloadError", err, err)
			}
			if failed.NotFound != tt.notFound {
				t.Errorf("NotFound = %t: %v", failed.NotFound, err)
			}
			if !strings.Contains(err.Error(), tt.message) {
				t.Errorf("message lacks %q: %v", tt.message, err)
			}
		})
	}
}

func TestFetchCancelled(t *testing.T) {
	want, _ := serveMadeUp(t)
	ctx, cancel := context.WithCancel(t.Context())
	requested := make(chan struct{}, 10)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		requested <- struct{}{}
		<-r.Context().Done() // answers never; ends when the go command is killed
	}))
	defer srv.Close()
	t.Setenv("GOPROXY", srv.URL)
	go func() {
		<-requested
		cancel()
	}()
	if _, err := modtree.Fetch(ctx, madeUp, want); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func addToZip(t *testing.T, path, name, content string) {
	t.Helper()
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out, err := os.Create(path + ".new")
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(out)
	for _, f := range r.File {
		if err := w.Copy(f); err != nil {
			t.Fatal(err)
		}
	}
	f, err := w.Create(name)
	if err == nil {
		_, err = io.WriteString(f, content)
	}
	if err := errors.Join(err, w.Close(), out.Close(), os.Rename(out.Name(), path)); err != nil {
		t.Fatal(err)
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
