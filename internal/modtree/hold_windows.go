package modtree

import (
	"errors"
	"os"
	"syscall"
)

const sharingViolation syscall.Errno = 32

// Hold opens a file for this program alone, until it is closed or the program ends, however it ends; [ErrHeld] if
// somebody has it open already. Of flag only os.O_CREATE counts, which must not find the file. Its other errors are those
// of the system.
func Hold(path string, flag int) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	disposition := uint32(syscall.OPEN_EXISTING)
	if flag&os.O_CREATE != 0 {
		disposition = syscall.CREATE_NEW
	}
	const unshared = 0
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, unshared, nil, disposition,
		syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		return nil, ErrHeld
	} else if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}
