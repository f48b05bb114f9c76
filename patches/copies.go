package patches

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strconv"
)

// ownModule is the module that the copied folders come from. Their imports of each other are rewritten to where they went.
const ownModule = "github.com/offlock/offlock"

// embedFile is the file that embeds a folder's sources here. It is the one that a copy has no use for.
const embedFile = "embed.go"

// copies adds the Go files of the folders that the patch copies. Folders below them stay behind, and so does [embedFile].
func (a *application) copies() error {
	for _, c := range a.patch.Copies {
		if a.sources == nil {
			return fmt.Errorf("patch %s copies %s, but Series.Sources is nil; set it to the folders to copy from", a.patch.Name, c.From)
		}
		files, err := fs.Glob(a.sources, path.Join(c.From, "*.go"))
		if err != nil || len(files) == 0 {
			return fmt.Errorf("patch %s copies %s, which holds no Go file; correct its Copies line", a.patch.Name, c.From)
		}
		for _, name := range files {
			if path.Base(name) == embedFile {
				continue
			}
			text, err := fs.ReadFile(a.sources, name)
			if err != nil {
				return err
			}
			to := path.Join(c.To, path.Base(name))
			if ok, err := a.tree.exists(to); ok || err != nil {
				return &EditError{a.patch.Name, to, "the file", Drifted, "it exists already", "copy to another folder"}
			}
			if a.writes[to], err = a.relocate(name, normalise(text)); err != nil {
				return err
			}
			a.log.files = append(a.log.files, to)
		}
	}
	return nil
}

// relocate rewrites imports of copied packages to their new paths.
func (a *application) relocate(name string, text []byte) ([]byte, error) {
	s, err := parseSource(name, text)
	if err != nil {
		return nil, err
	}
	var list []splice
	for _, spec := range s.file.Imports {
		for _, c := range a.patch.Copies {
			if importPath(spec) == path.Join(ownModule, c.From) {
				start, end := s.offset(spec.Path.Pos()), s.offset(spec.Path.End())
				list = append(list, splice{start, end, []byte(strconv.Quote(path.Join(a.module, c.To))), &edit{name: "the imports"}})
			}
		}
	}
	out, _, err := splices(text, list)
	return bytes.TrimPrefix(out, []byte(ignoreTag+"\n\n")), err
}
