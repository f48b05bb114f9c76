package spool

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gofrs/flock"
)

// In Dir, each spool that has written batches has a folder of its own, with a random name that is never used again, and beside
// it a lock file of that name. Who holds the lock owns the folder: nobody else reads, writes or removes anything in it. The system
// frees the lock when its process ends, however it ends, and then any other spool may take it, and the folder with it.
//
// The lock is made before its folder and removed after it, by its holder alone. So while a folder is there its lock
// is one file, and two spools never hold it both. One who gets the lock of a folder that is gone by then has found nothing.
const (
	prefix     = "spool-"
	lockSuffix = ".lock"
	asideName  = "aside" // where damaged and foreign files go
)

// folder is a folder that this spool owns.
type folder struct {
	path string
	lock *flock.Flock
	// files is how many files the spool knows in it, with those which it could not remove. Guarded by Spool.mu.
	files int
}

// claim makes a new folder.
func claim(d disk, dir string) (*folder, error) {
	for try := 0; ; try++ {
		var random [8]byte
		_, _ = rand.Read(random[:]) // never fails
		f := &folder{path: filepath.Join(dir, prefix+hex.EncodeToString(random[:]))}
		taken, err := f.tryLock()
		if err != nil {
			return nil, err
		}
		if !taken || !f.current() {
			_ = f.unlock()
			if try == 10 {
				return nil, fmt.Errorf("spool: the lock %s does not hold; use a folder on a file system that has locks", f.lock.Path())
			}
			continue // somebody tidied the lock away before it was taken
		}
		if err := d.Mkdir(f.path); err != nil {
			f.removeLock(d)
			return nil, err
		}
		return f, nil
	}
}

// tryLock takes the lock of the folder unless somebody has it.
func (f *folder) tryLock() (bool, error) {
	lock := flock.New(f.path+lockSuffix, flock.SetPermissions(0o600))
	if info, err := os.Lstat(lock.Path()); err == nil && !info.Mode().IsRegular() { // to open a pipe may take for ever
		return false, fmt.Errorf("spool: the lock %s is no file; remove it", lock.Path())
	}
	taken, err := lock.TryLock()
	if err != nil {
		return false, fmt.Errorf("spool: the lock %s was not taken: %w", lock.Path(), err)
	}
	f.lock = lock
	return taken, nil
}

// current says whether the lock that is held is the one which others see.
func (f *folder) current() bool {
	held, err := f.lock.Stat()
	if err != nil {
		return false
	}
	seen, err := os.Stat(f.lock.Path())
	return err == nil && os.SameFile(held, seen)
}

func (f *folder) unlock() error { return f.lock.Unlock() }

// release gives the folder up, and removes it if it is empty.
func (f *folder) release(d disk) {
	if err := d.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		_ = f.unlock() // there is something in it, for the next who takes it
		return
	}
	f.removeLock(d)
}

// removeLock ends a lock whose folder is gone. Windows removes no file that is open; elsewhere the file must go while it is
// locked, or it might be a later holder's.
func (f *folder) removeLock(d disk) {
	if runtime.GOOS == "windows" {
		_ = f.unlock()
		_ = d.Remove(f.lock.Path())
		return
	}
	_ = d.Remove(f.lock.Path())
	_ = f.unlock()
}

// takeover takes the lock of a folder that nobody owns any more. It returns nil if somebody does, or if there is no
// such folder.
func takeover(d disk, dir, name string) (*folder, []fs.DirEntry, error) {
	f := &folder{path: filepath.Join(dir, name)}
	taken, err := f.tryLock()
	if err != nil || !taken {
		return nil, nil, err
	}
	entries, err := d.ReadDir(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if f.current() {
			f.removeLock(d)
		} else {
			_ = f.unlock()
		}
		return nil, nil, nil
	case err != nil:
		_ = f.unlock()
		return nil, nil, err
	}
	return f, entries, nil
}

// folders lists the names of the folders in dir, and of locks without one.
func folders(d disk, dir string) ([]string, error) {
	entries, err := d.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		name := strings.TrimSuffix(entry.Name(), lockSuffix)
		if !isFolderName(name) || entry.IsDir() != (name == entry.Name()) {
			continue
		}
		if len(names) == 0 || names[len(names)-1] != name { // a folder and its lock are neighbours
			names = append(names, name)
		}
	}
	return names, nil
}

// isFolderName says whether claim may have made the name. Nothing else in Dir is touched.
func isFolderName(name string) bool {
	random, ok := strings.CutPrefix(name, prefix)
	_, err := hex.DecodeString(random)
	return ok && err == nil && len(random) == 16
}
