// Package modtreetest makes up releases of upstream for tests: versions that nobody published, served from a folder.
package modtreetest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/offlock/offlock/internal/modtree"
	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// WriteProxy adds a version of upstream to the GOPROXY file tree at root, which it makes if need be: the tree of base
// with edits laid over it (path to content; nil deletes). Of the base only what a fork would keep is taken, so that the
// zip is small. It returns the hashes that go.sum would record. Put URL(root) before the other entries of GOPROXY to
// have it served.
func WriteProxy(root string, base *modtree.Base, version string, edits map[string][]byte) (modtree.Hashes, error) {
	tree, err := modtree.NewTree(base, nil, edits)
	if err != nil {
		return modtree.Hashes{}, err
	}
	var files []zip.File
	for _, path := range tree.Paths() {
		if content, _ := tree.Content(path); !strings.HasPrefix(path, "OFFLOCK.") && path != "exporter/offlock_marker.go" {
			files = append(files, memoryFile{path, content})
		}
	}
	gomod, _ := tree.Content("go.mod")
	return write(root, version, gomod, files)
}

func write(root, version string, gomod []byte, files []zip.File) (hashes modtree.Hashes, err error) {
	mod := module.Version{Path: modtree.UpstreamPath, Version: version}
	if err := module.Check(mod.Path, mod.Version); err != nil {
		return hashes, err
	}
	escaped, err := module.EscapePath(mod.Path)
	if err != nil {
		return hashes, err
	}
	dir := filepath.Join(root, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return hashes, err
	}
	at := func(ext string) string { return filepath.Join(dir, version+ext) }
	list, err := os.ReadFile(filepath.Join(dir, "list"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return hashes, err
	}
	if versions := strings.Fields(string(list)); !slices.Contains(versions, version) {
		list = append(list, version+"\n"...)
	}
	f, err := os.Create(at(".zip"))
	if err != nil {
		return hashes, err
	}
	if err := errors.Join(
		zip.Create(f, mod, files),
		f.Close(),
		os.WriteFile(at(".mod"), gomod, 0o644),
		os.WriteFile(at(".info"), info(version, ""), 0o644),
		os.WriteFile(filepath.Join(dir, "list"), list, 0o644),
	); err != nil {
		return hashes, err
	}
	if hashes.Sum, err = dirhash.HashZip(at(".zip"), dirhash.Hash1); err != nil {
		return hashes, err
	}
	hashes.GoModSum, err = goModHash(gomod)
	return hashes, err
}

// WriteOrigin makes a written version's description name the commit that it comes from, as some proxies do. An empty
// commit takes that out again, as others have it.
func WriteOrigin(root, version, commit string) error {
	escaped, err := module.EscapePath(modtree.UpstreamPath)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, filepath.FromSlash(escaped), "@v", version+".info"), info(version, commit), 0o644)
}

func info(version, commit string) []byte {
	origin := ""
	if commit != "" {
		origin = fmt.Sprintf(`,"Origin":{"VCS":"git","URL":"https://%s","Hash":%q,"Ref":"refs/tags/%s"}`,
			modtree.UpstreamPath, commit, version)
	}
	return fmt.Appendf(nil, `{"Version":%q,"Time":"2026-01-01T00:00:00Z"%s}`+"\n", version, origin)
}

func goModHash(content []byte) (string, error) {
	return dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	})
}

// URL is the GOPROXY entry of a file tree.
func URL(root string) string {
	path := filepath.ToSlash(root)
	if !strings.HasPrefix(path, "/") { // a drive letter
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// GoSumLines are the two lines that a service's go.sum holds of a version, each with its line end.
func GoSumLines(version string, h modtree.Hashes) string {
	return fmt.Sprintf("%s %s %s\n%[1]s %[2]s/go.mod %[4]s\n", modtree.UpstreamPath, version, h.Sum, h.GoModSum)
}
