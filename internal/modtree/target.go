package modtree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// ForeignFolderError says that something lies where the fork should go which offlock did not write.
type ForeignFolderError struct {
	Dir    string
	Reason string
}

func (e *ForeignFolderError) Error() string {
	return fmt.Sprintf("%s is left alone: %s; move it away or choose another folder", e.Dir, e.Reason)
}

// EditedError says that a fork folder was edited since it was written.
type EditedError struct {
	Dir   string
	Paths []string // changed, added or removed, sorted
}

func (e *EditedError) Error() string {
	const shown = 5
	paths := e.Paths
	more := ""
	if len(paths) > shown {
		more = fmt.Sprintf(" and %d more", len(paths)-shown)
		paths = paths[:shown]
	}
	return fmt.Sprintf("%s was edited since offlock wrote it and is left alone: %s%s; keep your edits elsewhere and "+
		"delete the folder, or put the files back", e.Dir, strings.Join(paths, ", "), more)
}

// Inspect tells which fork lies at dir, by its own checksums and marker alone: no lock is asked, so a fork whose lock
// was not written yet, or is lost, is known as what it is. Errors: fs.ErrNotExist if nothing is there or an empty
// folder, [*ForeignFolderError], [*EditedError], or that of looking.
func Inspect(dir string) (Marker, error) {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return Marker{}, fmt.Errorf("fork folder: %w", err)
	case info.Mode()&fs.ModeSymlink != 0:
		return Marker{}, &ForeignFolderError{dir, "it is a symbolic link"}
	case !info.IsDir():
		return Marker{}, &ForeignFolderError{dir, "it is a file, not a folder"}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Marker{}, fmt.Errorf("fork folder: %w", err)
	}
	if len(entries) == 0 {
		return Marker{}, fmt.Errorf("fork folder %s is empty: %w", dir, fs.ErrNotExist)
	}
	_, m, err := folderMarker(dir)
	if err != nil {
		// Either piece alone shows where the folder comes from.
		if _, sumErr := os.Stat(joinSlash(dir, sumFile)); sumErr == nil {
			return Marker{}, &EditedError{dir, []string{markerFile}}
		}
		return Marker{}, &ForeignFolderError{dir, "it holds files that offlock did not write"}
	}
	edited, err := Edited(dir, m.Hash)
	if err != nil {
		return Marker{}, err
	}
	if len(edited) > 0 {
		return Marker{}, &EditedError{dir, edited}
	}
	return m, nil
}

// CheckTarget tells whether a fork may be written at dir: nothing is there, an empty folder is, or a fork that nobody
// edited since. Otherwise it returns the error of [Inspect].
func CheckTarget(dir string) error {
	if _, err := Inspect(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
