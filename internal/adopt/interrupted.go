package adopt

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/offlock/offlock/internal/modtree"
)

// undone says what was made of a run that was interrupted.
type undone struct {
	fork, base string
	completed  bool     // only its clearing away was left
	restored   []string // files that are what they were before it
	partly     []string // files that somebody changed since: the replace line was taken out
}

func (u *undone) String() string {
	if u.completed {
		return "an earlier run was interrupted while it cleared away; that is done now"
	}
	return "an earlier run was interrupted; what it had changed is undone"
}

// interrupted tells whether a run left its journal behind, and where.
func (s *Service) interrupted() (string, bool) {
	for _, root := range s.roots() {
		if _, err := os.Lstat(journalIn(root)); err == nil {
			return journalIn(root), true
		}
	}
	return "", false
}

// undoInterrupted undoes what an interrupted run left, or completes it where only clearing away was left; nil if there is
// nothing. dir is the folder of the fork that the user named, or empty.
func (s *Service) undoInterrupted(dir string) (*undone, error) {
	for _, root := range s.roots() {
		j, err := openJournal(root)
		if err != nil {
			return nil, err
		}
		if j == nil {
			continue
		}
		if err := s.mayUndo(j, dir); err != nil {
			return nil, errors.Join(err, j.held.Close())
		}
		u, err := s.undo(j)
		if err != nil {
			return nil, fmt.Errorf("an earlier run was interrupted and could not be undone: %w", err)
		}
		return u, nil
	}
	return nil, nil
}

// roots are the folders that may hold a journal: builds without the workspace know the service's own alone.
func (s *Service) roots() []string {
	roots := []string{s.Root}
	for _, dir := range s.Modules {
		if !sameFile(dir, s.Root) {
			roots = append(roots, dir)
		}
	}
	return roots
}

// mayUndo refuses a journal that names what no run in this service would have changed: it is a file that may come with a
// checkout, and must not be able to reach anything else.
func (s *Service) mayUndo(j *journal, dir string) error {
	fork := j.abs(j.Fork)
	refuse := func(name, next string) error {
		return fmt.Errorf("%s names %s, which is not this service's, or not with that content; nothing was touched: %s",
			s.show(filepath.Join(journalIn(j.root), journalFile)), name, next)
	}
	if !s.holds(fork) && filepath.Clean(dir) != fork {
		return refuse(j.Fork, fmt.Sprintf("if offlock was to write the fork there, run this again with --dir %s, else remove %s",
			s.show(fork), s.show(journalIn(j.root))))
	}
	const next = "use the workspace of the interrupted run (GOWORK), or put the service back from version control and remove the folder"
	files := append(s.files(), modtree.LockPath(fork))
	for _, f := range j.Files {
		if path := j.abs(f.File); !slices.Contains(files, path) || f.Was != absent && !mayHold(path, f.Before) {
			return refuse(f.File, next)
		}
	}
	folders := []string{fork, filepath.Join(s.Home(), "vendor")}
	for _, root := range s.roots() {
		folders = append(folders, filepath.Join(root, "vendor"))
	}
	for _, f := range j.Folders {
		if !slices.Contains(folders, j.abs(f.Folder)) {
			return refuse(f.Folder, next)
		}
	}
	return nil
}

// mayHold tells whether a file of this name can have had this content: the name may be a link to anything.
func mayHold(path string, text []byte) bool {
	switch filepath.Base(path) {
	case "go.sum", "go.work.sum":
		for _, line := range lines(text) {
			if fields := strings.Fields(line); len(fields) > 0 && !isSumLine(fields) {
				return false
			}
		}
		return true
	}
	if isModFile(path) {
		_, err := replacementsIn(path, text)
		return err == nil
	}
	return json.Unmarshal(text, new(modtree.Lock)) == nil
}

// holds tells whether a path lies below the service's folder, symbolic links resolved.
func (s *Service) holds(path string) bool {
	home, err := filepath.EvalSymlinks(s.Home())
	if err != nil || !within(path, s.Home()) || sameFile(path, s.Home()) {
		return false
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			return within(real, home)
		}
		if !errors.Is(err, fs.ErrNotExist) || dir == s.Home() {
			return false
		}
	}
}
