package patches

import (
	"io/fs"
	"strings"

	"github.com/offlock/offlock/eventstore"
)

// folders are the packages of this module that patches copy, each under its own name.
var folders = mounted{"eventstore": eventstore.Sources}

// mounted puts file systems beside each other, each in a folder.
type mounted map[string]fs.FS

func (m mounted) Open(name string) (fs.File, error) {
	folder, inside, below := strings.Cut(name, "/")
	if !below {
		inside = "."
	}
	mount, ok := m[folder]
	if !ok || !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return mount.Open(inside)
}
