package modtree

import "errors"

// ErrHeld says that a running program holds a file, see [Hold].
var ErrHeld = errors.New("in use by a running program")
