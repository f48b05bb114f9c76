//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package modtree

import (
	"errors"
	"os"
	"syscall"
)

// Hold opens a file with flag and holds it, where the file system can, until it is closed or the program ends, however it
// ends; [ErrHeld] if somebody holds it already. Its other errors are those of os.OpenFile.
func Hold(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag, fileMode)
	if err != nil {
		return nil, err
	}
	// Other errors are those of file systems without locks, on which there is nothing to wait for.
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, ErrHeld
	}
	return f, nil
}
