package regress

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/offlock/offlock/internal/modtree"
)

// workdir is the temporary folder of one Prove call. It holds a note that the call holds open, so that the folder of a
// call that was killed can be told from one that is in use, and both from anybody else's.
type workdir struct {
	path string
	note *os.File
}

const (
	workdirPrefix = "offlock-prove-"
	noteName      = "offlock-prove.txt"
	noteText      = "offlock prove works in this folder. Left behind by a run that was killed; the next one removes it.\n"
)

// newWorkdir removes the folders of calls that were killed, and makes one for this call.
func newWorkdir() (*workdir, error) {
	clearLeft(os.TempDir())
	path, err := os.MkdirTemp("", workdirPrefix)
	if err != nil {
		return nil, err
	}
	w := &workdir{path: path}
	if err := w.hold(); err != nil {
		return nil, errors.Join(err, w.remove())
	}
	return w, nil
}

// hold leaves the note, which gets its name only when it is held: a note that is not held is a dead call's.
func (w *workdir) hold() error {
	unnamed := filepath.Join(w.path, "note")
	var err error
	if w.note, err = modtree.Hold(unnamed, os.O_CREATE|os.O_EXCL|os.O_RDWR); err != nil {
		return err
	}
	switch again, err := modtree.Hold(unnamed, os.O_RDWR); {
	case err == nil: // nothing can be held here, so the folder would look dead
		return errors.Join(again.Close(), os.Remove(unnamed))
	case !errors.Is(err, modtree.ErrHeld):
		return err
	}
	if _, err := w.note.WriteString(noteText); err != nil {
		return err
	}
	return os.Rename(unnamed, filepath.Join(w.path, noteName))
}

// remove removes the folder and all in it.
func (w *workdir) remove() error {
	err := os.RemoveAll(w.path)
	if w.note != nil {
		err = errors.Join(err, w.note.Close()) // last, so that nobody else removes it too
	}
	return err
}

// clearLeft removes the folders in temp whose note says that they are Prove's and that nobody holds. What cannot be
// removed stays: it is not in the way of this call.
func clearLeft(temp string) {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), workdirPrefix) {
			clearDead(filepath.Join(temp, e.Name()))
		}
	}
}

func clearDead(dir string) {
	name := filepath.Join(dir, noteName)
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return
	}
	note, err := modtree.Hold(name, os.O_RDWR)
	if err != nil {
		return
	}
	defer note.Close()
	text, err := io.ReadAll(io.LimitReader(note, int64(len(noteText)+1)))
	if err == nil && string(text) == noteText {
		_ = os.RemoveAll(dir)
	}
}
