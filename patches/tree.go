package patches

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// tree is upstream's tree with changes laid over it. Parsed files are kept, since every patch looks at the same few packages.
type tree struct {
	base    fs.FS
	changed map[string][]byte // nil: deleted
	parsed  map[string]*source
}

func newTree(base fs.FS) *tree {
	return &tree{base: base, changed: map[string][]byte{}, parsed: map[string]*source{}}
}

// read returns a file's content; fs.ErrNotExist if there is none.
func (t *tree) read(name string) ([]byte, error) {
	if text, ok := t.changed[name]; ok {
		if text == nil {
			return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
		}
		return text, nil
	}
	return fs.ReadFile(t.base, name)
}

func (t *tree) exists(name string) (bool, error) {
	_, err := t.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// write sets a file's content; nil deletes the file.
func (t *tree) write(name string, text []byte) {
	t.changed[name] = text
	delete(t.parsed, name)
}

// source returns a parsed Go file.
func (t *tree) source(name string) (*source, error) {
	if s, ok := t.parsed[name]; ok {
		return s, nil
	}
	text, err := t.read(name)
	if err != nil {
		return nil, err
	}
	s, err := parseSource(name, text)
	if err != nil {
		return nil, err
	}
	t.parsed[name] = s
	return s, nil
}

// dir returns the Go files of a folder, in order of their names. A folder that is not there has none.
func (t *tree) dir(name string) ([]*source, error) {
	entries, err := fs.ReadDir(t.base, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	paths := map[string]bool{}
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), ".go") {
			paths[path.Join(name, e.Name())] = true
		}
	}
	for p, text := range t.changed {
		if path.Dir(p) == name && strings.HasSuffix(p, ".go") {
			paths[p] = text != nil
		}
	}
	var list []*source
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		if !paths[p] {
			continue
		}
		s, err := t.source(p)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// find returns the units of a scope that declare a name. "exporter" and "exporter_test" are two scopes of one folder.
func (t *tree) find(scope, name string) ([]*unit, error) {
	dirs := []string{scope}
	if dir, ok := strings.CutSuffix(scope, "_test"); ok {
		dirs = append(dirs, dir)
	}
	var found []*unit
	for _, dir := range dirs {
		files, err := t.dir(dir)
		if err != nil {
			return nil, err
		}
		for _, s := range files {
			if s.scope() == scope {
				found = append(found, s.find(name)...)
			}
		}
	}
	return found, nil
}

// module is the path in go.mod, or "" without one.
func (t *tree) module() (string, error) {
	text, err := t.read("go.mod")
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return modfile.ModulePath(text), err
}
