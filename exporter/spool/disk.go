package spool

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// disk is what a spool does to its folder, apart from locks. Tests put one in between that fails.
type disk interface {
	MkdirAll(name string) error
	Mkdir(name string) error
	ReadDir(name string) ([]fs.DirEntry, error)
	Open(name string) (fs.File, error)
	// Write creates a file, which must not exist, and returns when all of it is written, and on the medium if sync is set.
	Write(name string, data []byte, sync bool) error
	Rename(from, to string) error
	Remove(name string) error
	// SyncDir returns when the names in a folder are on the medium.
	SyncDir(name string) error
}

// osDisk is the real one. What it creates is for its owner alone: events name users.
type osDisk struct{}

func (osDisk) MkdirAll(name string) error                 { return os.MkdirAll(name, 0o700) }
func (osDisk) Mkdir(name string) error                    { return os.Mkdir(name, 0o700) }
func (osDisk) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (osDisk) Open(name string) (fs.File, error)          { return os.Open(name) }
func (osDisk) Rename(from, to string) error               { return os.Rename(from, to) }
func (osDisk) Remove(name string) error                   { return os.Remove(name) }

func (osDisk) Write(name string, data []byte, sync bool) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil && sync {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

func (osDisk) SyncDir(name string) error {
	if runtime.GOOS == "windows" {
		return nil // has no such call; NTFS keeps its names in a journal
	}
	dir, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// write makes a whole file appear under its name, or nothing.
func write(d disk, folder, name string, data []byte, sync bool) error {
	final := filepath.Join(folder, name)
	if err := d.Write(final+unfinished, data, sync); err != nil {
		_ = d.Remove(final + unfinished) // what is left is removed when the folder is taken over
		return err
	}
	if err := d.Rename(final+unfinished, final); err != nil {
		_ = d.Remove(final + unfinished)
		return err
	}
	if !sync {
		return nil
	}
	if err := d.SyncDir(folder); err != nil {
		_ = d.Remove(final) // the caller is told that it was not written, and keeps the batch
		return err
	}
	return nil
}
