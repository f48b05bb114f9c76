//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package modtree

import "os"

// openHeld opens a file. This system has no lock that ends with the program, so two programs must not write the same fork at
// the same time.
func openHeld(path string, flag int) (*os.File, error) { return os.OpenFile(path, flag, fileMode) }
