package adopt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/offlock/offlock/internal/modtree"
)

// lockedFiles are the files that a lock names, by the names that it has for them.
type lockedFiles map[string]string

// lockedFiles finds the files that the lock names and checks what it wants written to them. A lock is a file of the
// checkout that anybody may have changed: it may name files of this service and its workspace alone, and bring back
// nothing but what can have stood there.
func (s *Service) lockedFiles(a *adoption) (lockedFiles, error) {
	files := lockedFiles{}
	add := func(name string, check func(file string) error) error {
		file, err := s.lockedFile(a, name)
		if err == nil {
			err = check(file)
		}
		if err != nil {
			return fmt.Errorf("%s: its entry %q %w; nothing was touched: bring the lock back from version control",
				s.show(modtree.LockPath(a.dir)), name, err)
		}
		files[name] = file
		return nil
	}
	for _, e := range a.lock.Edits {
		if err := add(e.File, func(file string) error { return checkHunks(file, e.Hunks) }); err != nil {
			return nil, err
		}
	}
	for _, sums := range a.lock.GoSum {
		if err := add(sums.File, func(file string) error { return checkLockedSums(file, sums.Lines) }); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// lockedFile is the file that the lock means, spelt as the service spells it.
func (s *Service) lockedFile(a *adoption, name string) (string, error) {
	path := filepath.Join(filepath.Dir(a.dir), filepath.FromSlash(name))
	if strings.ContainsAny(name, "\\\n\x00") || filepath.IsAbs(filepath.FromSlash(name)) {
		return "", errors.New("is not a relative path")
	}
	for _, file := range s.files() {
		if path == file || filepath.Base(path) == filepath.Base(file) && sameFile(path, file) {
			return file, nil
		}
	}
	// A module may have left the workspace, files and all: then there is nothing to take back.
	known := slices.ContainsFunc(s.files(), func(file string) bool { return filepath.Base(file) == filepath.Base(path) })
	if _, err := os.Lstat(path); known && errors.Is(err, fs.ErrNotExist) && within(path, s.Home()) {
		return path, nil
	}
	return "", errors.New("is no go.mod, go.sum, go.work or go.work.sum of this service or its workspace (of all its modules, " +
		"if GOWORK is not off)")
}

// checkHunks refuses hunks that hold more than lines, and what was never a line of a go.sum.
func checkHunks(file string, hunks []modtree.Hunk) error {
	for _, h := range hunks {
		for _, line := range slices.Concat(h.Removed, h.Added) {
			if strings.ContainsAny(line, "\n\x00") {
				return errors.New("holds lines with line ends in them")
			}
		}
		if isModFile(file) {
			continue
		}
		for _, line := range h.Removed {
			if fields := strings.Fields(line); len(fields) > 0 && !isSumLine(fields) {
				return fmt.Errorf("would bring back %q, which is no line of a go.sum", line)
			}
		}
	}
	return nil
}

func checkLockedSums(file string, lines []string) error {
	if isModFile(file) {
		return errors.New("is listed as a go.sum")
	}
	for _, line := range lines {
		fields := strings.Fields(line)
		if !isSumLine(fields) || fields[0] != modtree.UpstreamPath || line != strings.Join(fields, " ") {
			return fmt.Errorf("would bring back %q, which is no go.sum line of %s", line, modtree.UpstreamPath)
		}
	}
	return nil
}

// isSumLine tells whether these are path, version and hash of a line of a go.sum.
func isSumLine(fields []string) bool {
	if len(fields) != 3 {
		return false
	}
	version := strings.TrimSuffix(fields[1], "/go.mod")
	return module.Check(fields[0], version) == nil && strings.HasPrefix(fields[2], "h1:")
}
