package adopt

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/mod/sumdb"
	"golang.org/x/mod/sumdb/note"

	"github.com/offlock/offlock/internal/modtree"
	"github.com/offlock/offlock/internal/modtree/modtreetest"
)

// The tests need no network: two small releases with upstream's path are served from a folder.
const (
	older = "v1.52.1"
	newer = "v1.55.2"
)

// sums are the go.sum lines of the two releases.
var sums = map[string]string{}

func TestMain(m *testing.M) {
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runTests(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "adopt-test-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	proxy := filepath.Join(dir, "proxy")
	for _, version := range []string{older, newer} {
		base, err := modtreetest.SmallBase(filepath.Join(dir, version), version)
		if err != nil {
			return 0, err
		}
		hashes, err := modtreetest.WriteProxy(proxy, base, version, map[string][]byte{
			"version.go": []byte("package flag\n\nconst Version = \"" + version + "\"\n"),
		})
		if err != nil {
			return 0, err
		}
		sums[version] = modtreetest.GoSumLines(version, hashes)
	}
	for name, value := range map[string]string{
		"GOPROXY": modtreetest.URL(proxy), "GONOSUMDB": "*", "GOFLAGS": "-modcacherw", "GOTOOLCHAIN": "local",
		"GOMODCACHE": filepath.Join(dir, "modcache"), "GOWORK": "", "GOENV": "off",
	} {
		if err := os.Setenv(name, value); err != nil {
			return 0, err
		}
	}
	return m.Run(), nil
}

// checksumDatabase makes the go command ask a database that knows these go.sum lines alone.
func checksumDatabase(t *testing.T, known string) {
	t.Helper()
	signer, verifier, err := note.GenerateKey(nil, "sums.test")
	if err != nil {
		t.Fatal(err)
	}
	database := sumdb.NewTestServer(signer, func(path, version string) ([]byte, error) {
		var found strings.Builder
		for line := range strings.Lines(known) {
			if strings.HasPrefix(line, path+" "+version+" ") || strings.HasPrefix(line, path+" "+version+"/go.mod ") {
				found.WriteString(line)
			}
		}
		if found.Len() == 0 {
			return nil, fs.ErrNotExist
		}
		return []byte(found.String()), nil
	})
	server := httptest.NewServer(sumdb.NewServer(database))
	t.Cleanup(server.Close)
	t.Setenv("GOSUMDB", verifier+" "+server.URL)
	t.Setenv("GONOSUMDB", "")
	t.Setenv("GOPATH", t.TempDir()) // where the go command notes what a database said
	t.Setenv("GOMODCACHE", t.TempDir())
}

func fieldsOf(line string) []string { return strings.Fields(line) }

// build is a Builder whose fork differs from the release in one file.
func build(ctx context.Context, version string, sums modtree.Hashes) (*modtree.Base, *modtree.Tree, error) {
	base, err := modtree.Fetch(ctx, version, sums)
	if err != nil {
		return nil, nil, err
	}
	tree, err := modtree.NewTree(base, []modtree.Patch{{Name: "0001-test", Files: []string{"flag.go"}}}, map[string][]byte{
		"flag.go": []byte("// Package flag is small.\npackage flag\n\nconst Patched = true\n"),
	})
	return base, tree, err
}

// service writes the files of a txtar archive, with OLDER and NEWER in them standing for the go.sum lines of the two
// releases, and returns their folder.
func service(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer("OLDER\n", sums[older], "NEWER\n", sums[newer]).Replace(string(f.Data))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const small = `
-- go.mod --
module example.com/svc

go 1.21

require github.com/thomaspoignant/go-feature-flag v1.55.2
-- go.sum --
NEWER
-- main.go --
package main

import "github.com/thomaspoignant/go-feature-flag/exporter"

func main() { println(exporter.Name) }
`

func open(t *testing.T, dir string) *Service {
	t.Helper()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func apply(t *testing.T, dir string, opts ApplyOptions) *Applied {
	t.Helper()
	opts.Build, opts.Tool = build, "v0.0.0-test"
	applied, err := open(t, dir).Apply(t.Context(), opts)
	if err != nil {
		t.Fatalf("apply: %v", err)
	}
	return applied
}

func revert(t *testing.T, dir string) *Reverted {
	t.Helper()
	reverted, err := open(t, dir).Revert(t.Context(), RevertOptions{})
	if err != nil {
		t.Fatalf("revert: %v", err)
	}
	return reverted
}

// problems runs check and returns the kinds of what it finds.
func problems(t *testing.T, dir string) []string {
	t.Helper()
	checked, err := open(t, dir).Check(t.Context(), "")
	if err != nil {
		t.Fatalf("check: %v", err)
	}
	kinds := []string{}
	for _, p := range checked.Problems {
		kinds = append(kinds, p.Kind)
	}
	return kinds
}

// snapshot is every file and folder below dir, with a hash of its content.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || d.IsDir() {
			found[rel] = "folder"
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			found[rel], err = os.Readlink(path)
			return err
		}
		data, err := os.ReadFile(path)
		found[rel] = fmt.Sprintf("%x", sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func read(t *testing.T, elem ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, text string, elem ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(elem...), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// goRun runs the go command and fails the test if it fails.
func goRun(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := goCommand(t.Context(), dir, nil, args...)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
