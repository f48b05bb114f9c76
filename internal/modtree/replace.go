package modtree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ReplaceFile makes data the content of the file at path, whether it exists or not: it writes beside it and renames, so
// that a reader sees the former file or the new one, whole, and on an error the former one stays. The file gets the
// permissions of mode, where the file system knows them. A symbolic link stays one, and the file that it leads to is
// replaced; one that leads nowhere is an error.
func ReplaceFile(path string, data []byte, mode fs.FileMode) error {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if info, lstatErr := os.Lstat(path); lstatErr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is a symbolic link that leads nowhere, remove it or make its target: %w", path, err)
		}
		real, err = path, nil
	}
	if err != nil {
		return err
	}
	return writeAside(real, data, mode.Perm())
}

func writeAside(path string, data []byte, mode fs.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".offlock-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync() // else the rename may outlive a power cut that the content does not
	}
	// Not every file system knows permissions, and until here nobody but the user may read it.
	_ = f.Chmod(mode)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err == nil {
		syncFolder(filepath.Dir(path))
	}
	return err
}

// syncFolder makes a rename outlive a power cut, on systems where a folder can be synced.
func syncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		f.Close()
	}
}
