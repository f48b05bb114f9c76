package adopt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// transaction is a row of changes that are all kept or all undone.
type transaction struct {
	undo []func() error // in the order of the changes
	done []func() error // what remains to be cleared away once all is well
}

// rollback undoes everything, last change first, and joins what could not be undone to the error that caused it.
func (t *transaction) rollback(cause error) error {
	for _, undo := range slices.Backward(t.undo) {
		if err := undo(); err != nil {
			cause = errors.Join(cause, fmt.Errorf("and could not be undone: %w", err))
		}
	}
	return cause
}

// commit keeps everything. What fails now is clearing away alone.
func (t *transaction) commit() error {
	var errs []error
	for _, done := range t.done {
		errs = append(errs, done())
	}
	return errors.Join(errs...)
}

// keep remembers a file as it is, or that it is not there.
func (t *transaction) keep(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.undo = append(t.undo, func() error {
			if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		})
		return nil
	}
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	t.undo = append(t.undo, func() error { return replaceFile(path, data, info.Mode().Perm()) })
	return nil
}

// write replaces a file's content, or makes the file.
func (t *transaction) write(path string, data []byte) error {
	if err := t.keep(path); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	return replaceFile(path, data, mode)
}

// replaceFile writes aside and renames, so that no reader ever sees half a file. A symbolic link stays one.
func replaceFile(path string, data []byte, mode fs.FileMode) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	aside, err := os.CreateTemp(filepath.Dir(path), ".offlock-*")
	if err != nil {
		return err
	}
	defer os.Remove(aside.Name())
	_, err = aside.Write(data)
	if err := errors.Join(err, aside.Chmod(mode), aside.Close()); err != nil {
		return err
	}
	return os.Rename(aside.Name(), path)
}

// remove takes a file or folder away; it is set aside, under a name that the go command does not look into, until commit.
func (t *transaction) remove(path string) error {
	aside, err := t.setAside(path)
	if err != nil || aside == "" {
		return err
	}
	t.done = append(t.done, func() error { return os.RemoveAll(aside) })
	return nil
}

// setAside renames path; it returns the new name, empty if there was nothing.
func (t *transaction) setAside(path string) (string, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	holder, err := os.MkdirTemp(filepath.Dir(path), ".offlock-*")
	if err != nil {
		return "", err
	}
	t.done = append(t.done, func() error { return os.RemoveAll(holder) })
	aside := filepath.Join(holder, filepath.Base(path))
	if err := os.Rename(path, aside); err != nil {
		return "", errors.Join(err, os.Remove(holder))
	}
	t.undo = append(t.undo, func() error {
		return errors.Join(os.RemoveAll(path), os.Rename(aside, path), os.Remove(holder))
	})
	return aside, nil
}
