package modtree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Lock is the file beside the fork folder (DIR.lock.json): what the fork was made from, and what was done to the
// service for it.
type Lock struct {
	Tool     string   `json:"tool"` // version of offlock that wrote it
	Module   string   `json:"module"`
	Base     string   `json:"base"`
	Sum      string   `json:"sum"`
	GoModSum string   `json:"goModSum"`
	Commit   string   `json:"commit,omitempty"`
	Hash     string   `json:"hash"` // of the fork, line ends normalised
	Patches  []string `json:"patches"`
	// Only and Without are the selection that was asked for; both empty: every patch that is for the base.
	Only    []string   `json:"only,omitempty"`
	Without []string   `json:"without,omitempty"`
	Edits   []Edit     `json:"edits"` // of the service's files, oldest first
	GoSum   []SumLines `json:"goSum"` // the lines that the replacement makes unused
}

// SumLines are lines of one go.sum that a tidy may drop while the fork is in use.
type SumLines struct {
	File  string   `json:"file"` // slash-separated, relative to the lock's folder
	Lines []string `json:"lines"`
}

// Edit is what apply did to one file of the service, as much as revert needs to undo it byte for byte.
type Edit struct {
	File   string `json:"file"`   // slash-separated, relative to the lock's folder
	Before string `json:"before"` // sha256 of the file before, line ends normalised
	After  string `json:"after"`  // and after
	Hunks  []Hunk `json:"hunks"`
}

// Hunk is one run of lines (without line ends) that replaced another, at a 1-based line of the file after.
type Hunk struct {
	Line    int      `json:"line"`
	Removed []string `json:"removed,omitempty"`
	Added   []string `json:"added,omitempty"`
}

// LockPath is the lock file of a fork folder.
func LockPath(dir string) string { return filepath.Clean(dir) + ".lock.json" }

// ReadLock reads a lock; fs.ErrNotExist if there is none. A field that this version does not know is an error, because
// revert must not undo half of what a newer one did.
func ReadLock(path string) (*Lock, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("lock file: %w", err)
	}
	l := new(Lock)
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(l); err != nil {
		return nil, lockError(path, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, lockError(path, errors.New("there is more after the closing brace"))
	}
	if l.Module == "" || l.Base == "" || l.Sum == "" || l.Hash == "" {
		return nil, lockError(path, errors.New("module, base, sum or hash is missing"))
	}
	return l, nil
}

func lockError(path string, err error) error {
	return fmt.Errorf("lock file %s cannot be used: %w; restore it from version control, "+
		"or use the offlock version that wrote it", path, err)
}

// Encode returns the bytes that [WriteLock] writes. The same lock has one form: lists are written as [], never null.
func (l *Lock) Encode() ([]byte, error) {
	full := *l
	full.Patches = append([]string{}, l.Patches...)
	full.Edits = append([]Edit{}, l.Edits...)
	full.GoSum = append([]SumLines{}, l.GoSum...)
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false) // "replace a => b" stays readable
	enc.SetIndent("", "  ")
	err := enc.Encode(&full)
	return buf.Bytes(), err
}

// WriteLock writes it atomically: a reader sees the former file or the new one, whole.
func WriteLock(path string, l *Lock) error {
	data, err := l.Encode()
	if err == nil {
		err = ReplaceFile(path, data, fileMode)
	}
	if err != nil {
		return fmt.Errorf("lock file %s was not written: %w", path, err)
	}
	return nil
}
