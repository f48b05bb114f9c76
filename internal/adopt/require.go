package adopt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"

	"github.com/offlock/offlock/internal/modtree"
)

// Moved is one requirement of go.mod that `go get` changed.
type Moved struct {
	Path string `json:"path"`
	From string `json:"from,omitempty"` // empty: it was not required
	To   string `json:"to,omitempty"`   // empty: it is no longer
}

// scratch is a copy of the service's go.mod and go.sum without the fork's line, for the go command to work on. So
// nothing of the service changes until all is known to work, and go-feature-flag's requirements are those of the
// release, not those of the fork that may stand in for it.
type scratch struct {
	service *Service
	dir     string
	crlfMod bool
	crlfSum bool
}

func (s *Service) scratch(fork string) (_ *scratch, err error) {
	gomod := filepath.Join(s.Root, "go.mod")
	text, err := readModFile(gomod)
	if err != nil {
		return nil, err
	}
	sums, err := readIfThere(filepath.Join(s.Root, "go.sum"))
	if err != nil {
		return nil, err
	}
	c := &scratch{service: s, crlfMod: crlf(text), crlfSum: crlf(sums)}
	if text, err = dropReplace(gomod, text, fork); err != nil {
		return nil, err
	}
	if c.dir, err = os.MkdirTemp("", "offlock-require-"); err != nil {
		return nil, err
	}
	if err := errors.Join(os.WriteFile(c.gomod(), text, 0o644), os.WriteFile(filepath.Join(c.dir, "go.sum"), sums, 0o644)); err != nil {
		return nil, errors.Join(err, c.remove())
	}
	return c, nil
}

func (c *scratch) gomod() string { return filepath.Join(c.dir, "go.mod") }
func (c *scratch) remove() error { return os.RemoveAll(c.dir) }

// env keeps the workspace out (-modfile is for one module), and flags of the user that contradict ours.
func (c *scratch) env() []string { return []string{"GOWORK=off", "GOFLAGS=" + c.service.plainFlags} }

// selected is what the build selects without the fork's line.
func (c *scratch) selected(ctx context.Context) (*Selected, error) {
	return c.service.selected(ctx, c.env(), "-mod=mod", "-modfile="+c.gomod())
}

// required is the outcome of a `go get`.
type required struct {
	gomod, gosum []byte // the new content, with the line ends that the files had
	moved        []Moved
}

// require runs `go get` for a version.
func (c *scratch) require(ctx context.Context, version string) (*required, error) {
	before, err := os.ReadFile(c.gomod())
	if err != nil {
		return nil, err
	}
	if _, err := goCommand(ctx, c.service.Root, c.env(), "get", "-modfile="+c.gomod(), modtree.UpstreamPath+"@"+version); err != nil {
		if c.service.Workspace != "" {
			err = fmt.Errorf("%w\n(it ran without the workspace; if that is why it failed, run go get %s@%s yourself and then offlock apply)",
				err, modtree.UpstreamPath, version)
		}
		return nil, err
	}
	after, err := os.ReadFile(c.gomod())
	if err != nil {
		return nil, err
	}
	sums, err := os.ReadFile(filepath.Join(c.dir, "go.sum"))
	if err != nil {
		return nil, err
	}
	r := &required{gomod: withEnds(after, c.crlfMod), gosum: withEnds(sums, c.crlfSum)}
	r.moved, err = moved(before, after)
	return r, err
}

// withEnds gives a text the line ends of the file that it replaces; the go command writes "\n".
func withEnds(text []byte, crlf bool) []byte {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	if crlf {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	return text
}

// moved compares the requirements of two versions of a go.mod, sorted by path.
func moved(before, after []byte) ([]Moved, error) {
	requirements := func(text []byte) (map[string]string, error) {
		f, err := modfile.Parse("go.mod", text, nil)
		if err != nil {
			return nil, parseError(err)
		}
		versions := map[string]string{}
		for _, r := range f.Require {
			versions[r.Mod.Path] = r.Mod.Version
		}
		if f.Go != nil {
			versions["go"] = f.Go.Version
		}
		if f.Toolchain != nil {
			versions["toolchain"] = f.Toolchain.Name
		}
		return versions, nil
	}
	from, err := requirements(before)
	if err != nil {
		return nil, err
	}
	to, err := requirements(after)
	if err != nil {
		return nil, err
	}
	paths := maps.Clone(from)
	maps.Copy(paths, to)
	var result []Moved
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if from[path] != to[path] {
			result = append(result, Moved{path, from[path], to[path]})
		}
	}
	return result, nil
}
