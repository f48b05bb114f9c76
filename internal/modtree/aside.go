package modtree

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// What an aside folder holds: a note that proves whose it is, the new folder before Commit, the former one after.
const (
	asideNote = "offlock-aside.txt"
	asideNew  = "new"
	asideOld  = "old"
)

const asideText = "offlock keeps a fork here while it swaps it in. Left behind by an interrupted run; the next one removes it.\n"

// aside is a folder beside the fork, on the same file system so that a rename is enough.
type aside struct {
	dir string
	// note is held open as long as the swap lives, so that another run sees that the folder is in use.
	note *os.File
}

func asidePrefix(dir string) string { return "." + filepath.Base(dir) + ".offlock-" }

func newAside(dir string) (*aside, error) {
	path, err := os.MkdirTemp(filepath.Dir(dir), asidePrefix(dir)+"*")
	if err != nil {
		return nil, err
	}
	a := &aside{dir: path}
	if a.note, err = Hold(a.path(asideNote), os.O_CREATE|os.O_EXCL|os.O_RDWR); err == nil {
		_, err = a.note.WriteString(asideText)
	}
	if err != nil {
		return nil, errors.Join(err, a.remove())
	}
	return a, nil
}

func (a *aside) path(name string) string { return filepath.Join(a.dir, name) }

func (a *aside) remove() error {
	var err error
	if a.note != nil {
		err = a.note.Close()
	}
	return errors.Join(err, os.RemoveAll(a.dir))
}

// Recover clears away what an interrupted run left beside dir, and puts the former folder back if that run ended while
// nothing was at dir. It touches only folders that hold offlock's note and that no running program holds, and keeps the
// former folder as long as something lies at dir that is no fork. Write calls it.
func Recover(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Dir(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), asidePrefix(dir)) {
			continue
		}
		if err := recoverAside(dir, filepath.Join(filepath.Dir(dir), e.Name())); err != nil {
			return fmt.Errorf("an interrupted run left %s, which could not be cleared away: %w", e.Name(), err)
		}
	}
	return nil
}

func recoverAside(dir, path string) error {
	a := &aside{dir: path}
	var err error
	a.note, err = Hold(a.path(asideNote), os.O_RDWR)
	switch {
	case errors.Is(err, ErrHeld):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		// The run may have ended before the note was written. Remove takes empty folders only.
		_ = os.Remove(path)
		return nil
	case err != nil:
		return err
	}
	if content, err := io.ReadAll(a.note); err != nil || string(content) != asideText {
		return errors.Join(err, a.note.Close())
	}
	if replaced, err := a.replaced(dir); err != nil || !replaced {
		return errors.Join(err, a.note.Close())
	}
	return a.remove()
}

// replaced tells whether the former folder may go: there is none, a fork is in its place, or it was put back just now.
func (a *aside) replaced(dir string) (bool, error) {
	if _, err := os.Lstat(a.path(asideOld)); errors.Is(err, fs.ErrNotExist) {
		return true, nil
	} else if err != nil {
		return false, err
	}
	_, err := Inspect(dir)
	var (
		edited  *EditedError
		foreign *ForeignFolderError
	)
	switch {
	case err == nil, errors.As(err, &edited):
		return true, nil
	case errors.As(err, &foreign):
		return false, nil
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	// An empty folder is in the way on some systems. If it is none any more, the rename says so.
	_ = os.Remove(dir)
	err = os.Rename(a.path(asideOld), dir)
	return err == nil, err
}
