package modtree

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
)

// Modes of everything that is written, whatever the base and the umask say.
const (
	fileMode fs.FileMode = 0o644
	dirMode  fs.FileMode = 0o755
)

// Tree is a fork in memory: path below the module root to content. Identical inputs give identical trees.
type Tree struct {
	Marker Marker
	files  map[string][]byte
}

// Patch is what the notice in the fork says of one patch.
type Patch struct {
	Name  string   // "0003-flush-off-caller"
	Title string   // one line; may be empty
	Files []string // the paths that it changes, adds or deletes
}

// NewTree prunes the base to what builds and tests need, lays the changes over it (nil deletes), and adds notice,
// checksums and marker; upstream's licence stays. The contents of changes must not be altered afterwards.
func NewTree(base *Base, patches []Patch, changes map[string][]byte) (*Tree, error) {
	files, err := prunedFiles(base.FS(), changes)
	if err != nil {
		return nil, fmt.Errorf("fork of %s@%s: %w", UpstreamPath, base.Version, err)
	}
	t := &Tree{Marker: Marker{Base: base.Version, Patches: []string{}}, files: files}
	for _, p := range patches {
		t.Marker.Patches = append(t.Marker.Patches, p.Name)
	}
	files[noticeFile] = notice(base, patches)
	list := sumList(files)
	t.Marker.Hash = sumHash(list)
	files[sumFile] = list
	if files[markerFile], err = t.Marker.source(); err != nil {
		return nil, err
	}
	return t, nil
}

func prunedFiles(upstream fs.FS, changes map[string][]byte) (map[string][]byte, error) {
	for name := range changes {
		if !fs.ValidPath(name) || name == "." {
			return nil, fmt.Errorf("a patch changes %q, which is not a path inside the module", name)
		}
		if name == noticeFile || name == sumFile || name == markerFile {
			return nil, fmt.Errorf("a patch changes %s, which offlock itself writes", name)
		}
	}
	read := func(name string) ([]byte, error) {
		if content := changes[name]; content != nil {
			return content, nil
		}
		return fs.ReadFile(upstream, name)
	}
	all, err := listFiles(upstream, changes)
	if err != nil {
		return nil, err
	}
	kept, err := prune(all, read)
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	for name, content := range changes {
		if content != nil {
			files[name] = content // a patch's file is needed by definition
		}
	}
	exports := false
	for _, name := range kept {
		if files[name], err = read(name); err != nil {
			return nil, err
		}
		exports = exports || path.Dir(name) == path.Dir(markerFile) && path.Ext(name) == ".go"
	}
	for _, name := range []string{"go.mod", "LICENSE"} {
		if files[name] == nil {
			return nil, fmt.Errorf("there is no %s in it, and a fork cannot be passed on without", name)
		}
	}
	if !exports {
		return nil, fmt.Errorf("there is no Go file in %s, so the marker would never be linked", path.Dir(markerFile))
	}
	return files, nil
}

// listFiles lists the files of upstream with the changes laid over it, sorted.
func listFiles(upstream fs.FS, changes map[string][]byte) ([]string, error) {
	all := make(map[string]bool)
	err := fs.WalkDir(upstream, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			all[name] = true
		}
		return err
	})
	for name, content := range changes {
		all[name] = content != nil
	}
	maps.DeleteFunc(all, func(_ string, present bool) bool { return !present })
	return slices.Sorted(maps.Keys(all)), err
}

// Files returns the number of files and their total size in bytes.
func (t *Tree) Files() (count int, bytes int64) {
	for _, content := range t.files {
		bytes += int64(len(content))
	}
	return len(t.files), bytes
}

// Paths lists the files, sorted.
func (t *Tree) Paths() []string { return slices.Sorted(maps.Keys(t.files)) }

// Content returns the content of a file, which must not be altered; false if the tree has no such file.
func (t *Tree) Content(path string) ([]byte, bool) {
	content, ok := t.files[path]
	return content, ok
}
