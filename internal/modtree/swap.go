package modtree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Swap is a tree written aside, ready to take its place. It belongs to one goroutine, and must be ended with Done or
// Undo. A program that ends before leaves the former folder, or the new one, and an aside folder that the next run
// clears away.
type Swap struct {
	dir   string
	made  []string // parent folders that did not exist before, the deepest first
	aside *aside   // nil before it is made and after the end

	committed bool // the new folder is in its place
	hadOld    bool // the former one is aside
}

// Commit swaps the folder in and keeps the former one until Done; Undo brings that back, or removes what was written.
// After an error the former folder is in its place, or the error says where it is.
func (s *Swap) Commit() error {
	if s.aside == nil || s.committed {
		return errors.New("a swap commits once, before Done or Undo")
	}
	err := os.Rename(s.dir, s.aside.path(asideOld))
	switch {
	case err == nil:
		s.hadOld = true
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the former fork could not be set aside, it is unchanged: %w", err)
	}
	if err := os.Rename(s.aside.path(asideNew), s.dir); err != nil {
		return errors.Join(fmt.Errorf("the new fork could not be put in its place: %w", err), s.restore())
	}
	s.committed = true
	return nil
}

// restore puts the former folder back.
func (s *Swap) restore() error {
	if !s.hadOld {
		return nil
	}
	if err := os.Rename(s.aside.path(asideOld), s.dir); err != nil {
		return fmt.Errorf("the former fork is still at %s, move it back to %s: %w", s.aside.path(asideOld), s.dir, err)
	}
	s.hadOld = false
	return nil
}

// Done ends the swap: the former folder is removed. The new one stays, also if that fails.
func (s *Swap) Done() error {
	if !s.committed {
		return errors.New("nothing was committed; Undo ends such a swap")
	}
	return s.end()
}

// Undo ends the swap: the former folder, or its absence, is back. After Done, or twice, it does nothing. If the former
// folder cannot be put back, the error says where it is; it stays there, and Undo may be tried again.
func (s *Swap) Undo() error {
	if s.committed {
		if s.aside == nil {
			return nil // Done was here
		}
		if err := os.Rename(s.dir, s.aside.path(asideNew)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the new fork could not be taken out of its place: %w", err)
		}
		s.committed = false
	}
	if err := s.restore(); err != nil {
		return err
	}
	err := s.end()
	for _, dir := range s.made {
		if os.Remove(dir) != nil {
			break // something else is in it by now
		}
	}
	s.made = nil
	return err
}

func (s *Swap) end() error {
	if s.aside == nil {
		return nil
	}
	err := s.aside.remove()
	s.aside = nil
	return err
}
