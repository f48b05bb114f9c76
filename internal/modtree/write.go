package modtree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes the tree beside dir (same parent folder, which is made if need be). Nothing at dir changes yet. It refuses
// what [CheckTarget] refuses, and first clears away what an interrupted run left behind ([Recover]). On an error nothing
// of it stays.
func (t *Tree) Write(dir string) (*Swap, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("the fork was not written to %s: %w", dir, err)
	}
	if filepath.Dir(dir) == dir {
		return nil, &ForeignFolderError{dir, "it is the root of the file system"}
	}
	err = Recover(dir)
	if err == nil {
		err = CheckTarget(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("the fork was not written: %w", err)
	}
	s := &Swap{dir: dir}
	if err := s.prepare(t.files); err != nil {
		return nil, errors.Join(fmt.Errorf("the fork was not written to %s: %w", dir, err), s.Undo())
	}
	return s, nil
}

func (s *Swap) prepare(files map[string][]byte) error {
	var err error
	if s.made, err = makeParents(filepath.Dir(s.dir)); err != nil {
		return err
	}
	if s.aside, err = newAside(s.dir); err != nil {
		return err
	}
	return writeFiles(s.aside.path(asideNew), files)
}

// makeParents makes dir and what is missing above it, and returns what it made, the deepest first.
func makeParents(dir string) (made []string, err error) {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) || filepath.Dir(at) == at {
			break
		}
		made = append(made, at)
	}
	return made, os.MkdirAll(dir, dirMode)
}

func writeFiles(root string, files map[string][]byte) error {
	made := make(map[string]bool)
	for name, content := range files {
		full := joinSlash(root, name)
		if err := makeFolders(root, filepath.Dir(full), made); err != nil {
			return err
		}
		if err := os.WriteFile(full, content, fileMode); err != nil {
			return err
		}
		if err := os.Chmod(full, fileMode); err != nil { // the umask had a say
			return err
		}
	}
	return nil
}

// makeFolders makes dir and what is missing between it and root, root included.
func makeFolders(root, dir string, made map[string]bool) error {
	if made[dir] {
		return nil
	}
	if dir != root {
		if err := makeFolders(root, filepath.Dir(dir), made); err != nil {
			return err
		}
	}
	made[dir] = true
	if err := os.Mkdir(dir, dirMode); err != nil {
		return err
	}
	return os.Chmod(dir, dirMode)
}

func joinSlash(root, name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
