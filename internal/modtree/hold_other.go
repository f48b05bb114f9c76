//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package modtree

import "os"

// Hold opens a file with flag. This system has no lock that ends with the program, so it is never [ErrHeld], and two
// programs must not write the same fork at the same time. Its errors are those of os.OpenFile.
func Hold(path string, flag int) (*os.File, error) { return os.OpenFile(path, flag, fileMode) }
