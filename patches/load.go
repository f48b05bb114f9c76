package patches

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/semver"
)

// folderName is the form of a patch's folder.
var folderName = regexp.MustCompile(`^[0-9]{4}-[a-z0-9]+(-[a-z0-9]+)*$`)

// Load reads a series: every folder NNNN-name, and bases/*.json. Other names are ignored. Text files may have CRLF line
// ends, as a checkout on Windows has them.
//
// An error names the file, and the line where there is one.
func Load(fsys fs.FS) (*Series, error) {
	s := &Series{bases: map[string]*Base{}}
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, fmt.Errorf("reading the series: %w", err)
	}
	for _, e := range entries {
		if !e.IsDir() || !folderName.MatchString(e.Name()) {
			continue
		}
		p, err := loadPatch(fsys, e.Name())
		if err != nil {
			return nil, fmt.Errorf("patch %w", err)
		}
		s.Patches = append(s.Patches, p)
	}
	for i, p := range s.Patches {
		if err := s.checkOrder(i, p); err != nil {
			return nil, fmt.Errorf("patch %s/PATCH.md: %w", p.Name, err)
		}
	}
	if err := s.loadBases(fsys); err != nil {
		return nil, err
	}
	return s, nil
}

// checkOrder checks what one patch says of others: numbers are unique, and needs come earlier.
func (s *Series) checkOrder(i int, p *Patch) error {
	if i > 0 && s.Patches[i-1].Number() == p.Number() {
		return fmt.Errorf("%s has the same number; renumber one of them", s.Patches[i-1].Name)
	}
	for j := range p.Needs {
		needed, err := s.Find(p.Needs[j].Patch)
		if err != nil {
			return fmt.Errorf("key Needs: %w", err)
		}
		if slices.Index(s.Patches, needed) >= i {
			return fmt.Errorf("key Needs: %s does not come before it", needed.Name)
		}
		p.Needs[j].Patch = needed.Name
	}
	return nil
}

func (s *Series) loadBases(fsys fs.FS) error {
	names, err := fs.Glob(fsys, "bases/*.json")
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return fmt.Errorf("reading a base: %w", err)
		}
		b := new(Base)
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(b); err != nil {
			return fmt.Errorf("base %s: %w", name, err)
		}
		if !semver.IsValid(b.Version) || b.Version+".json" != path.Base(name) {
			return fmt.Errorf("base %s: it says to be version %q; file and version must agree", name, b.Version)
		}
		s.bases[b.Version] = b
	}
	return nil
}

func loadPatch(fsys fs.FS, name string) (*Patch, error) {
	p := &Patch{Name: name}
	md, err := fs.ReadFile(fsys, path.Join(name, "PATCH.md"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no PATCH.md; docs/patches.md says what it holds", name)
	} else if err != nil {
		return nil, err
	}
	if err := parseFrontMatter(p, normalise(md)); err != nil {
		return nil, fmt.Errorf("%s/PATCH.md: %w", name, err)
	}
	err = fs.WalkDir(fsys, name, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || file == path.Join(name, "PATCH.md") {
			return err
		}
		text, err := fs.ReadFile(fsys, file)
		if err != nil {
			return err
		}
		f, err := loadFile(strings.TrimPrefix(file, name+"/"), normalise(text))
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		p.files = append(p.files, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(p.files) == 0 && len(p.Copies) == 0 {
		return nil, fmt.Errorf("%s holds no file besides PATCH.md: it would change nothing", name)
	}
	slices.SortFunc(p.files, func(a, b *patchFile) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.base, b.base))
	})
	return p, nil
}

func loadFile(name string, text []byte) (*patchFile, error) {
	base := ""
	if at, ok := strings.CutPrefix(name, "@"); ok {
		base, name, _ = strings.Cut(at, "/")
		if !semver.IsValid(base) || name == "" {
			return nil, errors.New("a folder that begins with @ is named after a release, such as @v1.52.1")
		}
	}
	return parsePatchFile(name, base, text)
}

// normalise turns CRLF into LF, in text only.
func normalise(text []byte) []byte {
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return text
	}
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
}

// validPath tells whether p is a path below a module root.
func validPath(p string) bool { return fs.ValidPath(p) && p != "." }

// variant returns the patch's files as they are for one recorded base: overrides take the place of the plain file.
func (p *Patch) variant(base string) []*patchFile {
	var files []*patchFile
	for _, f := range p.files {
		switch last := len(files) - 1; {
		case f.base != "" && f.base != base:
		case last >= 0 && files[last].path == f.path:
			files[last] = f
		default:
			files = append(files, f)
		}
	}
	return files
}
