package adopt

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/offlock/offlock/internal/modtree"
)

// undo takes back what a run did, this one or a dead one. Files that somebody changed since keep those changes.
// It may itself be interrupted: the journal stays until all is done, and each step may be done twice.
func (s *Service) undo(j *journal) (*undone, error) {
	u := &undone{fork: j.abs(j.Fork), base: j.Base, completed: j.Done}
	if j.Done {
		return u, s.clear(j)
	}
	changed, replaced, err := j.changed()
	if err != nil {
		return u, err
	}
	if !replaced {
		for i := range j.Files {
			if err := s.undoFile(j, &j.Files[i], changed, u); err != nil {
				return u, err
			}
		}
	}
	for _, f := range j.Folders {
		if replaced { // somebody brought in another lock, and with it a service that this run knows nothing of
			f.Hash, f.Vendor = "", false
		}
		if err := undoFolder(j.abs(f.Folder), f, changed); err != nil {
			return u, err
		}
	}
	return u, s.clear(j)
}

// changed tells whether somebody else changed a go.mod or go.work since, or exchanged the lock.
func (j *journal) changed() (modFile, lock bool, err error) {
	for _, f := range j.Files {
		path := j.abs(f.File)
		now, err := keep(path)
		if err != nil {
			return false, false, err
		}
		if f.ours(now.Was) {
			continue
		}
		modFile = modFile || isModFile(path)
		lock = lock || path == modtree.LockPath(j.abs(j.Fork))
	}
	return modFile, lock, nil
}

// undoFile puts a file back. A go.sum goes back only together with the requirements that it is for.
func (s *Service) undoFile(j *journal, f *keptFile, changed bool, u *undone) error {
	path := j.abs(f.File)
	now, err := keep(path)
	if err != nil || now.Was == f.Was {
		return err
	}
	if isModFile(path) && !f.ours(now.Was) {
		if had, err := replacementsIn(path, f.Before); err == nil && slices.ContainsFunc(had, func(r replacement) bool {
			return r.dir() != "" && sameFile(r.dir(), u.fork)
		}) {
			return nil // the line was there before
		}
		text, err := dropReplace(path, now.Before, u.fork)
		if err != nil || string(text) == string(now.Before) {
			return err
		}
		u.partly = append(u.partly, path)
		err = modtree.ReplaceFile(path, text, now.Mode)
		atStep()
		return err
	}
	if changed && path != modtree.LockPath(u.fork) && !isModFile(path) {
		return nil
	}
	if f.Was == absent {
		err = os.Remove(path)
	} else {
		err = modtree.ReplaceFile(path, f.Before, f.Mode)
	}
	if err == nil && path != modtree.LockPath(u.fork) {
		u.restored = append(u.restored, path)
	}
	atStep()
	return err
}

// undoFolder puts a folder back. What took its place is removed if it is provably what the run put there.
func undoFolder(path string, f keptFolder, changed bool) error {
	former, _, gone := besides(path)
	_, err := os.Lstat(former)
	aside := err == nil
	if !aside && f.There {
		return nil // it was not moved yet, or is back already
	}
	if _, err := os.Lstat(path); err == nil {
		switch {
		case f.Hash != "":
			edited, err := modtree.Edited(path, f.Hash)
			changed = err != nil || len(edited) > 0
		case !f.Vendor:
			changed = true // the run put nothing there
		}
		if changed {
			return nil
		}
		if err := os.Rename(path, gone); err != nil {
			return err
		}
		atStep()
	}
	if !aside {
		return nil
	}
	err = os.Rename(former, path)
	atStep()
	return err
}

// clear removes what is left beside files and folders, then the journal.
func (s *Service) clear(j *journal) error {
	fork := j.abs(j.Fork)
	for _, f := range j.Folders {
		former, fresh, gone := besides(j.abs(f.Folder))
		for _, name := range []string{former, fresh, gone} {
			if err := os.RemoveAll(name); err != nil {
				return err
			}
		}
		atStep()
	}
	if err := modtree.Recover(fork); err != nil {
		return err
	}
	for _, f := range j.Files {
		if err := clearAsides(j.abs(f.File)); err != nil {
			return err
		}
	}
	if err := s.removeEmpty(filepath.Dir(fork)); err != nil {
		return err
	}
	return j.remove()
}

// clearAsides removes what modtree.ReplaceFile leaves if it is interrupted.
func clearAsides(path string) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasPrefix(e.Name(), "."+filepath.Base(path)+".offlock-") {
			if err := os.Remove(filepath.Join(filepath.Dir(path), e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeEmpty removes the folders above the fork that are empty now; apply made them, or nobody misses them: version
// control does not know empty folders.
func (s *Service) removeEmpty(dir string) error {
	for ; within(dir, s.Home()) && !sameFile(dir, s.Home()); dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
			return nil // a symbolic link, which apply never makes
		}
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || len(entries) > 0 {
			return nil
		}
		if err := os.Remove(dir); err != nil {
			return err
		}
		atStep()
	}
	return nil
}
