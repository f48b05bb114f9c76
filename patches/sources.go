package patches

import (
	"io/fs"
	"strings"

	"github.com/offlock/offlock/eventstore"
	"github.com/offlock/offlock/exporter/encode/jsonline"
)

// folders are the packages of this module that patches copy, each under its own name.
var folders = mounted{
	"eventstore":               eventstore.Sources,
	"exporter/encode/jsonline": jsonline.Sources,
}

// mounted puts file systems beside each other, each in a folder. None is in the folder of another one.
type mounted map[string]fs.FS

func (m mounted) Open(name string) (fs.File, error) {
	if fs.ValidPath(name) {
		for folder, mount := range m {
			if name == folder {
				return mount.Open(".")
			}
			if inside, below := strings.CutPrefix(name, folder+"/"); below {
				return mount.Open(inside)
			}
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
