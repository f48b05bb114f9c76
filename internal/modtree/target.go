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

// CheckTarget tells whether a fork may be written at dir: nothing is there, an empty folder is, or a fork that nobody
// edited since (by its own checksums and marker, so that a crash before the lock was written does not count as an
// edit). Otherwise it returns [*ForeignFolderError], [*EditedError], or the error of looking.
func CheckTarget(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return &ForeignFolderError{dir, "it is a symbolic link"}
	case !info.IsDir():
		return &ForeignFolderError{dir, "it is a file, not a folder"}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return err
	}
	_, m, err := folderMarker(dir)
	if err != nil {
		// Either piece alone shows where the folder comes from.
		if _, sumErr := os.Stat(joinSlash(dir, sumFile)); sumErr == nil {
			return &EditedError{dir, []string{markerFile}}
		}
		return &ForeignFolderError{dir, "it holds files that offlock did not write"}
	}
	edited, err := Edited(dir, m.Hash)
	if err != nil {
		return err
	}
	if len(edited) > 0 {
		return &EditedError{dir, edited}
	}
	return nil
}
