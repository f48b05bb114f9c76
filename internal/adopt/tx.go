package adopt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/offlock/offlock/internal/modtree"
)

// transaction is a row of changes that are all kept or all undone: by this run if a step fails, by the next one if this
// run is killed.
type transaction struct {
	service *Service
	journal *journal
	swap    *modtree.Swap // of the fork, once it is written
}

// begin starts a transaction that may change these files, the fork and vendor folders.
func (s *Service) begin(fork, base string, files []string) (*transaction, error) {
	j, err := newJournal(s.Root, fork, base, append(files, modtree.LockPath(fork)))
	if err != nil {
		return nil, err
	}
	return &transaction{service: s, journal: j}, nil
}

// rollback undoes everything and joins what could not be undone to the error that caused it.
func (t *transaction) rollback(cause error) error {
	var errs []error
	if t.swap != nil {
		errs = append(errs, t.swap.Undo())
	}
	_, err := t.service.undo(t.journal)
	if err := errors.Join(append(errs, err)...); err != nil {
		return errors.Join(cause, fmt.Errorf("and could not be undone: %w", err))
	}
	return cause
}

// commit keeps everything. What fails after the journal says so is clearing away alone.
func (t *transaction) commit() error {
	t.journal.Done = true
	if err := t.journal.save(); err != nil {
		t.journal.Done = false
		return t.rollback(err)
	}
	var err error
	if t.swap != nil {
		err = t.swap.Done()
	}
	if err := errors.Join(err, t.service.clear(t.journal)); err != nil {
		return fmt.Errorf("all is done, but what was there before could not be cleared away (the next run tries again): %w", err)
	}
	return nil
}

// before is a file's content before the transaction.
func (t *transaction) before(path string) ([]byte, error) {
	f, err := t.journal.file(path)
	if err != nil {
		return nil, err
	}
	return f.Before, nil
}

// write replaces a file's content, or makes the file.
func (t *transaction) write(path string, data []byte) error {
	f, err := t.journal.file(path)
	if err != nil {
		return err
	}
	f.Left = append(f.Left, stateOf(data))
	if err := t.journal.save(); err != nil {
		return err
	}
	mode := f.Mode
	if f.Was == absent {
		mode = 0o644
	}
	if err := modtree.ReplaceFile(path, data, mode); err != nil {
		return err
	}
	atStep()
	return nil
}

// remove takes a file away.
func (t *transaction) remove(path string) error {
	f, err := t.journal.file(path)
	if err != nil {
		return err
	}
	f.Left = append(f.Left, absent)
	if err := t.journal.save(); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	atStep()
	return nil
}

// settle notes what the go command has made of the files by now.
func (t *transaction) settle() error {
	for i := range t.journal.Files {
		f := &t.journal.Files[i]
		now, err := keep(t.journal.abs(f.File))
		if err != nil {
			return err
		}
		if !f.ours(now.Was) {
			f.Left = append(f.Left, now.Was)
		}
	}
	return t.journal.save()
}

// Beside a folder that changes. The go command does not look into folders whose names begin with a dot.
func besides(path string) (former, fresh, gone string) {
	at := filepath.Join(filepath.Dir(path), ".offlock-"+filepath.Base(path))
	return at, at + "-new", at + "-gone"
}

// replacing announces that a folder is to be moved aside, and what takes its place.
func (t *transaction) replacing(path string, by keptFolder) (err error) {
	former, fresh, gone := besides(path)
	for _, name := range []string{former, fresh, gone} {
		if _, err := os.Lstat(name); err == nil {
			return fmt.Errorf("%s is in the way: move it elsewhere", name)
		}
	}
	if by.Folder, err = t.journal.rel(path); err != nil {
		return err
	}
	_, err = os.Lstat(path)
	by.There = err == nil
	t.journal.Folders = append(t.journal.Folders, by)
	return t.journal.save()
}

// setAside renames a folder, if it is there, to where commit removes it from.
func (t *transaction) setAside(path string) error {
	former, _, _ := besides(path)
	if err := os.Rename(path, former); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	atStep()
	return nil
}

// writeFork puts a fork in the place of the former one, or of nothing.
func (t *transaction) writeFork(tree *modtree.Tree, dir string) (err error) {
	if t.swap, err = tree.Write(dir); err != nil {
		return err
	}
	atStep()
	if err := t.replacing(dir, keptFolder{Hash: tree.Marker.Hash}); err != nil {
		return err
	}
	if err := t.setAside(dir); err != nil {
		return err
	}
	if err := t.swap.Commit(); err != nil {
		return err
	}
	atStep()
	return nil
}

// removeFolder takes a folder away.
func (t *transaction) removeFolder(path string) error {
	if err := t.replacing(path, keptFolder{}); err != nil {
		return err
	}
	return t.setAside(path)
}
