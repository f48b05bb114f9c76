package adopt

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/offlock/offlock/internal/modtree"
)

// adoption is what is there of the fork before a command does anything.
type adoption struct {
	dir       string          // of the fork, absolute; it may not exist
	lock      *modtree.Lock   // nil: none was written, or it is lost
	marker    *modtree.Marker // of the fork, if the lock is lost and the folder is as it was written
	ours      []replacement   // the lines that point at dir
	foreign   []replacement   // other lines that replace go-feature-flag
	elsewhere string          // another folder with a lock that a line points at
}

// adoption looks at the replace lines and the lock. dir is the folder that the user named; empty: the one that a
// replace line names and that has a lock beside it, or else the default.
func (s *Service) adoption(dir string) (*adoption, error) {
	var all []replacement
	for _, file := range s.modFiles() {
		text, err := readModFile(file)
		if err != nil {
			return nil, err
		}
		found, err := replacementsIn(file, text)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	a := &adoption{dir: filepath.Join(s.Home(), filepath.FromSlash(DefaultDir))}
	if dir != "" {
		a.dir = filepath.Clean(s.named(dir))
	} else {
		for _, r := range all {
			if s.made(r) {
				a.dir = r.dir()
				break
			}
		}
	}
	for _, r := range all {
		switch target := r.dir(); {
		case r.Version == "" && target != "" && sameFile(target, a.dir):
			a.ours = append(a.ours, r)
		case s.made(r):
			a.elsewhere = target
		default:
			a.foreign = append(a.foreign, r)
		}
	}
	lock, err := modtree.ReadLock(modtree.LockPath(a.dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil {
		a.lock = lock
	} else if m, err := modtree.Inspect(a.dir); err == nil {
		a.marker = &m
	}
	return a, nil
}

// named is the folder that the user named; empty if none.
func (s *Service) named(dir string) string {
	if dir == "" || filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(s.cwd, dir)
}

// Adopted returns the fork's folder, as a user types it, and its lock; dir is the folder that the user named, or empty.
// The lock is nil if there is none.
func (s *Service) Adopted(dir string) (string, *modtree.Lock, error) {
	a, err := s.adoption(dir)
	if err != nil {
		return "", nil, err
	}
	return s.show(a.dir), a.lock, nil
}

// made tells whether a line is one that apply wrote: unversioned, to a folder with a lock beside it, or to a whole fork
// whose lock is lost.
func (s *Service) made(r replacement) bool {
	if r.Version != "" || r.dir() == "" {
		return false
	}
	if _, err := modtree.ReadLock(modtree.LockPath(r.dir())); !errors.Is(err, fs.ErrNotExist) {
		return true
	}
	_, err := modtree.Inspect(r.dir())
	return err == nil
}

// ReplacedError says that go-feature-flag is replaced already, by something that is not the fork.
type ReplacedError struct {
	Where []string // "go.mod:12: github.com/… => ../mine"
}

func (e *ReplacedError) Error() string {
	return fmt.Sprintf("go-feature-flag is replaced already, and only one replacement can hold:\n\t%s\n"+
		"remove that line (go mod edit -dropreplace=%s; -dropreplace=%s@VERSION if it names a version), or stay with it",
		strings.Join(e.Where, "\n\t"), modtree.UpstreamPath, modtree.UpstreamPath)
}

// refuse says why nothing may be written, before anything is.
func (s *Service) refuse(a *adoption) error {
	if len(a.foreign) > 0 {
		e := &ReplacedError{}
		for _, r := range a.foreign {
			e.Where = append(e.Where, fmt.Sprintf("%s:%d: %s", s.show(r.File), r.Line, r))
		}
		return e
	}
	if a.elsewhere != "" {
		return fmt.Errorf("the fork is adopted in %s already: run offlock revert first, then apply with the other folder", s.show(a.elsewhere))
	}
	if a.lock == nil && a.marker == nil && len(a.ours) > 0 {
		return fmt.Errorf("%s:%d points at %s, but there is no %s beside it: bring that back from version control, "+
			"or remove the line and the folder and apply again",
			s.show(a.ours[0].File), a.ours[0].Line, s.show(a.dir), filepath.Base(modtree.LockPath(a.dir)))
	}
	if within(s.Root, a.dir) || within(s.Home(), a.dir) {
		return fmt.Errorf("%s holds the service itself, the fork needs a folder of its own", s.show(a.dir))
	}
	if rel, err := filepath.Rel(s.Home(), a.dir); err == nil {
		for element := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
			if element == "vendor" || element == ".git" {
				return fmt.Errorf("%s lies in a %s folder, which belongs to the %s command: choose another one",
					s.show(a.dir), element, map[string]string{"vendor": "go", ".git": "git"}[element])
			}
		}
	}
	for _, v := range s.vendorings() {
		if within(a.dir, v.path()) {
			return fmt.Errorf("%s is in a vendor folder, which %s makes anew: choose another folder", s.show(a.dir), v.command())
		}
	}
	return modtree.CheckTarget(a.dir)
}

// within tells whether path is dir or lies below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
