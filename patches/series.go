package patches

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// The patterns match whatever patches there are, so that adding one needs no edit here. "all:" also takes in the folders whose
// names begin with a character that plain patterns skip.
//
//go:embed all:bases all:[0-9]*-*
var embedded embed.FS

// Series is the ordered list of patches and the bases they were recorded on. It is not changed after it was loaded.
type Series struct {
	Patches []*Patch // in order of their number

	// Sources holds the folders that a patch's Copies line names, each under its own name. It may be nil if no patch that is
	// applied copies anything.
	Sources fs.FS

	bases map[string]*Base
}

// Embedded returns the series that this build of offlock carries.
func Embedded() (*Series, error) {
	s, err := Load(embedded)
	if err != nil {
		return nil, err
	}
	s.Sources = folders
	return s, nil
}

// Base returns the recorded base of a version.
func (s *Series) Base(version string) (*Base, bool) {
	b, ok := s.bases[version]
	return b, ok
}

// Bases returns every recorded base, oldest first.
func (s *Series) Bases() []*Base {
	list := make([]*Base, 0, len(s.bases))
	for _, b := range s.bases {
		list = append(list, b)
	}
	slices.SortFunc(list, func(a, b *Base) int { return semver.Compare(a.Version, b.Version) })
	return list
}

// Find returns the patch with a name ("0003-flush-off-caller"), a number ("0003") or a name without number.
func (s *Series) Find(name string) (*Patch, error) {
	for _, p := range s.Patches {
		if name == p.Name || name == p.Number() || name == strings.TrimPrefix(p.Name, p.Number()+"-") {
			return p, nil
		}
	}
	return nil, &SelectionError{Patch: name, Problem: fmt.Sprintf("there is no patch %q in the series; it has %s",
		name, listed(s.Patches))}
}

// listed joins the names of patches for a message.
func listed(list []*Patch) string {
	if len(list) == 0 {
		return "none"
	}
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.Name
	}
	return strings.Join(names, ", ")
}
