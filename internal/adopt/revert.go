package adopt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/offlock/offlock/internal/modtree"
)

// RevertOptions are what a user may choose; the zero value works.
type RevertOptions struct {
	Dir      string                           // of the fork; empty: where the replace line points, or DefaultDir
	Progress func(format string, args ...any) // may be nil
	Message  func(format string, args ...any) // for what the user must know beside the result; may be nil
}

// Reverted says what revert did. Paths are relative to where the command runs.
type Reverted struct {
	Dir      string   `json:"dir"`
	Base     string   `json:"base"`
	Restored []string `json:"restored"` // files that are byte for byte what they were before apply
	Partly   []string `json:"partly"`   // files that changed since: only apply's own lines were taken out
	Sums     []string `json:"sums"`     // go.sum files that got dropped lines back
	Vendored []string `json:"vendored"` // vendor folders that were made anew
	Missing  []string `json:"missing"`  // files that apply had changed and that are gone
}

// Revert takes back all that apply did, in the whole workspace if there is one. Whatever fails, and if ctx ends, the
// service is as it was. What an interrupted run left is undone first; if that was the first apply, nothing else is to be
// done. It refuses (modtree.EditedError) to delete a fork folder that somebody edited, and a lock that names what does
// not belong to the service; it is [ErrNotAdopted] where there is nothing to take back.
func (s *Service) Revert(ctx context.Context, opts RevertOptions) (*Reverted, error) {
	opts.Progress, opts.Message = orSilent(opts.Progress), orSilent(opts.Message)
	mended, err := s.undoInterrupted(s.named(opts.Dir))
	if err != nil {
		return nil, err
	}
	if mended != nil {
		opts.Message("%v", mended)
	}
	a, err := s.adoption(opts.Dir)
	if err != nil {
		return nil, err
	}
	r := &Reverted{
		Dir: s.show(a.dir), Restored: []string{}, Partly: []string{}, Sums: []string{}, Vendored: []string{}, Missing: []string{},
	}
	switch {
	case a.lock == nil && len(a.ours) == 0 && mended != nil:
		r.Dir, r.Base = s.show(mended.fork), mended.base
		r.Restored, r.Partly = s.showAll(mended.restored), s.showAll(mended.partly)
		return r, nil
	case a.lock == nil && len(a.ours) == 0:
		return nil, fmt.Errorf("%w: there is no %s and no replace line of it, nothing to revert",
			ErrNotAdopted, s.show(modtree.LockPath(a.dir)))
	case a.lock == nil && a.marker == nil:
		return nil, fmt.Errorf("%s is missing, and with it what apply changed: bring it back from version control, or "+
			"remove line %d of %s and the folder %s by hand",
			s.show(modtree.LockPath(a.dir)), a.ours[0].Line, s.show(a.ours[0].File), s.show(a.dir))
	case a.lock == nil: // what apply added can be told without
		a.lock = &modtree.Lock{Base: a.marker.Base, Hash: a.marker.Hash}
	}
	r.Base = a.lock.Base
	if err := modtree.CheckTarget(a.dir); err != nil {
		return nil, err
	}
	files, err := s.lockedFiles(a)
	if err != nil {
		return nil, err
	}
	tx, err := s.begin(a.dir, a.lock.Base, s.files())
	if err != nil {
		return nil, err
	}
	if err := s.takeBack(ctx, tx, a, files, r, opts.Progress); err != nil {
		return nil, tx.rollback(err)
	}
	return r, tx.commit()
}

func (s *Service) takeBack(ctx context.Context, tx *transaction, a *adoption, files lockedFiles, r *Reverted, progress func(string, ...any)) error {
	vendors := s.vendorings()
	if err := s.takeBackFiles(tx, a, files, r); err != nil {
		return err
	}
	if err := s.takeBackSums(tx, a, files, r); err != nil {
		return err
	}
	if err := s.revendor(ctx, tx, vendors, progress); err != nil {
		return err
	}
	for _, v := range vendors {
		r.Vendored = append(r.Vendored, s.show(v.path()))
	}
	if err := tx.removeFolder(a.dir); err != nil {
		return err
	}
	if err := tx.remove(modtree.LockPath(a.dir)); err != nil {
		return err
	}
	return ctx.Err()
}

// takeBackFiles undoes the edits of each file. A go.sum goes back only together with the requirements that it is for.
func (s *Service) takeBackFiles(tx *transaction, a *adoption, locked lockedFiles, r *Reverted) error {
	files, edits := edited(a, locked)
	for _, modFiles := range []bool{true, false} {
		for _, file := range files {
			if isModFile(file) != modFiles || !modFiles && len(r.Partly) > 0 {
				continue
			}
			if err := s.takeBackFile(tx, a, file, edits[file], r); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeBackFile undoes a file's edits, the latest first, if the file is what they left. One that changed since keeps those
// changes and loses the replace line.
func (s *Service) takeBackFile(tx *transaction, a *adoption, file string, edits []modtree.Edit, r *Reverted) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		r.Missing = append(r.Missing, s.show(file))
		return nil
	}
	if err != nil {
		return err
	}
	result, exact := undoAll(edits, text)
	if !exact && isModFile(file) {
		if result, err = dropReplace(file, text, a.dir); err != nil {
			return err
		}
		r.Partly = append(r.Partly, s.show(file))
	}
	if exact {
		r.Restored = append(r.Restored, s.show(file))
	}
	switch {
	case string(result) == string(text):
		return nil
	case len(result) == 0: // a go.sum that only came with --to
		return tx.remove(file)
	}
	return tx.write(file, result)
}

// undoAll undoes all edits, or none: then it returns the text as it is.
func undoAll(edits []modtree.Edit, text []byte) ([]byte, bool) {
	result := text
	for _, e := range slices.Backward(edits) {
		before, ok := undo(e, result)
		if !ok {
			return text, false
		}
		result = before
	}
	return result, len(edits) > 0
}

// edited lists the files that the lock names, and those with a line that somebody copied, with the edits of each.
func edited(a *adoption, locked lockedFiles) ([]string, map[string][]modtree.Edit) {
	var files []string
	edits := map[string][]modtree.Edit{}
	for _, e := range a.lock.Edits {
		file := locked[e.File]
		if edits[file] == nil {
			files = append(files, file)
		}
		edits[file] = append(edits[file], e)
	}
	for _, line := range a.ours {
		if !slices.ContainsFunc(files, func(file string) bool { return sameFile(file, line.File) }) {
			files = append(files, line.File)
		}
	}
	return files, edits
}

// takeBackSums puts back the go.sum lines that a tidy dropped while the fork was in use.
func (s *Service) takeBackSums(tx *transaction, a *adoption, locked lockedFiles, r *Reverted) error {
	for _, sums := range a.lock.GoSum {
		file := locked[sums.File]
		if slices.Contains(r.Restored, s.show(file)) {
			continue // it is what it was before apply already
		}
		if !slices.Contains(s.files(), file) { // of a module that is gone
			continue
		}
		text, err := readIfThere(file)
		if err != nil {
			return err
		}
		result, added := addSums(text, sums.Lines)
		if len(added) == 0 {
			continue
		}
		if err := tx.write(file, result); err != nil {
			return err
		}
		r.Sums = append(r.Sums, s.show(file))
	}
	return nil
}

func isModFile(file string) bool {
	return filepath.Ext(file) == ".work" || filepath.Base(file) == "go.mod"
}
