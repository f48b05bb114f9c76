package adopt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/offlock/offlock/internal/modtree"
)

// A journal is a folder beside the service's go.mod that exists while a run changes the service. It holds what it takes
// to undo the run, and is written before each step, so that the next run can mend what one leaves that was killed.
const (
	journalFolder = ".offlock-undo"
	journalNote   = "running" // held open by the run, so that nobody takes its journal for a dead one's
	journalFile   = "journal.json"
)

// journal is the open journal of this run, or of a dead one.
type journal struct {
	root string   // folder of the service's go.mod
	held *os.File // the note
	record
}

// record is the content of a journal. Paths are slash-separated and relative to the journal's parent folder.
type record struct {
	Fork    string       `json:"fork"` // folder
	Base    string       `json:"base"` // of the fork that comes or goes
	Done    bool         `json:"done"` // everything is as it should be, only clearing away is left
	Files   []keptFile   `json:"files"`
	Folders []keptFolder `json:"folders"`
}

// keptFile is a file of the service as it was before.
type keptFile struct {
	File   string      `json:"file"`
	Was    string      `json:"was"` // its state before
	Mode   fs.FileMode `json:"mode"`
	Before []byte      `json:"before"`
	Left   []string    `json:"left"` // the states that the run left it in; a file in another one was changed by somebody else
}

// keptFolder is a folder that was moved aside, or that there was none.
type keptFolder struct {
	Folder string `json:"folder"`
	There  bool   `json:"there"`  // before
	Hash   string `json:"hash"`   // of the fork that takes the place; empty: none does
	Vendor bool   `json:"vendor"` // a vendor folder, made anew
}

// atStep is called after each step that the disk has seen. Tests look at what a crash would leave there.
var atStep = func() {}

func journalIn(root string) string { return filepath.Join(root, journalFolder) }

// newJournal begins a journal for a run that may change these files. Nothing is changed yet.
func newJournal(root, fork, base string, files []string) (_ *journal, err error) {
	j := &journal{root: root, record: record{Base: base}}
	if j.Fork, err = j.rel(fork); err != nil {
		return nil, err
	}
	for _, file := range files {
		kept, err := keep(file)
		if err != nil {
			return nil, err
		}
		if kept.File, err = j.rel(file); err != nil {
			return nil, err
		}
		j.Files = append(j.Files, kept)
	}
	if err := os.Mkdir(journalIn(root), 0o700); err != nil {
		return nil, err
	}
	j.held, err = modtree.Hold(filepath.Join(journalIn(root), journalNote), os.O_CREATE|os.O_EXCL|os.O_RDWR)
	if err == nil {
		atStep()
		err = j.save()
	}
	if err != nil {
		return nil, errors.Join(err, j.remove())
	}
	return j, nil
}

// openJournal opens what a dead run left; nil if there is nothing.
func openJournal(root string) (*journal, error) {
	dir := journalIn(root)
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	j := &journal{root: root}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder of offlock: move it away", dir)
	}
	j.held, err = modtree.Hold(filepath.Join(dir, journalNote), os.O_RDWR)
	switch {
	case errors.Is(err, modtree.ErrHeld):
		return nil, fmt.Errorf("another offlock is at work in this service (it holds %s): wait until it has ended", dir)
	case errors.Is(err, fs.ErrNotExist):
		// The run may have ended before the note was written. Remove takes empty folders only.
		if err := os.Remove(dir); err != nil {
			return nil, fmt.Errorf("%s is not a folder of offlock, move it away: %w", dir, err)
		}
		return nil, nil
	case err != nil:
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(dir, journalFile))
	if errors.Is(err, fs.ErrNotExist) { // it ended before it changed anything
		return nil, j.remove()
	}
	if err == nil {
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.DisallowUnknownFields()
		err = dec.Decode(&j.record)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s cannot be read, use the offlock that wrote it, or put the service "+
			"back from version control and remove the folder: %w", filepath.Join(dir, journalFile), err), j.held.Close())
	}
	return j, nil
}

func (j *journal) save() error {
	data, err := json.Marshal(&j.record)
	if err != nil {
		return err
	}
	if err := modtree.ReplaceFile(filepath.Join(journalIn(j.root), journalFile), data, 0o600); err != nil {
		return err
	}
	atStep()
	return nil
}

// remove ends the journal. Its content goes first: without it, there is nothing to undo.
func (j *journal) remove() error {
	err := os.Remove(filepath.Join(journalIn(j.root), journalFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	atStep()
	if j.held != nil {
		err = errors.Join(err, j.held.Close())
	}
	return errors.Join(err, os.RemoveAll(journalIn(j.root)))
}

func (j *journal) abs(rel string) string { return filepath.Join(j.root, filepath.FromSlash(rel)) }

func (j *journal) rel(path string) (string, error) {
	rel, err := filepath.Rel(j.root, path)
	return filepath.ToSlash(rel), err
}

// file finds what the journal keeps of a file.
func (j *journal) file(path string) (*keptFile, error) {
	for i := range j.Files {
		if j.abs(j.Files[i].File) == filepath.Clean(path) {
			return &j.Files[i], nil
		}
	}
	return nil, fmt.Errorf("%s is not among the files that this run may change", path)
}

// keep reads a file as it is.
func keep(path string) (keptFile, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return keptFile{Was: absent}, nil
	}
	if err != nil {
		return keptFile{}, err
	}
	data, err := os.ReadFile(path)
	return keptFile{Was: stateOf(data), Mode: info.Mode().Perm(), Before: data}, err
}

// absent is the state of a file that is not there; others have the hash of their bytes.
const absent = "absent"

func stateOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// ours tells whether a file is as it was before, or as the run left it.
func (f *keptFile) ours(state string) bool { return state == f.Was || slices.Contains(f.Left, state) }
