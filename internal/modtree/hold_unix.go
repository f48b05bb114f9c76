//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package modtree

import (
	"errors"
	"os"
	"syscall"
)

// openHeld opens a file and locks it, where the file system can, until it is closed or the program ends; errHeld if another
// one holds it.
func openHeld(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag, fileMode)
	if err != nil {
		return nil, err
	}
	// Other errors are those of file systems without locks, on which there is nothing to wait for.
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, errHeld
	}
	return f, nil
}
