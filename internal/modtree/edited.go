package modtree

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Edited compares a fork folder with its own checksums and with the hash that the lock recorded (or the marker of a
// binary). It lists the paths that were changed, added or removed since, sorted; none: the folder is as it was
// written. Line ends do not count: a checkout with CRLF is no edit. The error of a missing folder is fs.ErrNotExist.
func Edited(dir string, hash string) ([]string, error) {
	if info, err := os.Lstat(dir); err != nil {
		return nil, fmt.Errorf("fork folder: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("fork folder: %w", &ForeignFolderError{dir, "it is a link or a file, not a folder"})
	}
	list, err := os.ReadFile(filepath.Join(dir, sumFile))
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	missing := parseSums(list)
	var edited []string
	if err != nil || sumHash(list) != hash {
		edited = append(edited, sumFile)
	}
	if !markerIntact(dir, hash) {
		edited = append(edited, markerFile)
	}
	err = filepath.WalkDir(dir, func(full string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, full)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if name == sumFile || name == markerFile {
			return nil
		}
		want, known := missing[name]
		delete(missing, name)
		// A link in the place of a file is an edit, even to the same content.
		if !known || !d.Type().IsRegular() {
			edited = append(edited, name)
			return nil
		}
		content, err := os.ReadFile(full)
		if err == nil && fileSum(content) != want {
			edited = append(edited, name)
		}
		return err
	})
	for name := range missing {
		edited = append(edited, name)
	}
	slices.Sort(edited)
	return edited, err
}

// markerIntact tells whether the folder's marker file is exactly what is generated for the hash.
func markerIntact(dir, hash string) bool {
	content, m, err := folderMarker(dir)
	if err != nil || m.Hash != hash {
		return false
	}
	source, err := m.source()
	return err == nil && bytes.Equal(content, source)
}

// folderMarker reads the marker file of a fork folder, line ends normalised.
func folderMarker(dir string) (content []byte, m Marker, err error) {
	content, err = os.ReadFile(filepath.Join(dir, filepath.FromSlash(markerFile)))
	if err != nil {
		return nil, m, err
	}
	content = normalise(content)
	_, text, found := bytes.Cut(content, []byte(markerMark))
	if !found {
		return nil, m, ErrNoMarker
	}
	m, err = parseMarker(text)
	return content, m, err
}
