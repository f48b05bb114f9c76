package adopt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/offlock/offlock/internal/modtree"
)

// vendoring is a vendor folder that builds read, and the command that makes it.
type vendoring struct {
	dir  string // the folder that holds vendor
	work bool   // it belongs to the workspace
}

func (v vendoring) path() string { return filepath.Join(v.dir, "vendor") }

func (v vendoring) command() string {
	if v.work {
		return "go work vendor"
	}
	return "go mod vendor"
}

// vendorings finds the vendor folders of the service and of its workspace.
func (s *Service) vendorings() []vendoring {
	var found []vendoring
	candidates := []vendoring{{dir: s.Root}}
	if s.Workspace != "" {
		candidates = []vendoring{{dir: s.Home(), work: true}}
		if !sameFile(s.Root, s.Home()) { // with both at one place, it is the workspace's
			candidates = append(candidates, vendoring{dir: s.Root})
		}
	}
	for _, v := range candidates {
		if _, err := os.Stat(filepath.Join(v.path(), "modules.txt")); err == nil {
			found = append(found, v)
		}
	}
	return found
}

// revendor makes a vendor folder anew beside the former one and swaps it in, so that the former one is there until the
// go command has succeeded.
func (t *transaction) revendor(ctx context.Context, v vendoring) error {
	holder, err := os.MkdirTemp(v.dir, ".offlock-*") // a folder with a dot: the go command does not look into it
	if err != nil {
		return err
	}
	t.undo = append(t.undo, func() error { return os.RemoveAll(holder) })
	t.done = append(t.done, func() error { return os.RemoveAll(holder) })
	fresh := filepath.Join(holder, "vendor")
	env, args := []string{"GOWORK=off"}, []string{"mod", "vendor", "-o", fresh}
	if v.work {
		env, args = nil, []string{"work", "vendor", "-o", fresh}
	}
	if _, err := goCommand(ctx, v.dir, env, args...); err != nil {
		return fmt.Errorf("the vendor folder could not be made anew, the former one is back: %w", err)
	}
	if _, err := t.setAside(v.path()); err != nil {
		return err
	}
	t.undo = append(t.undo, func() error { return os.RemoveAll(v.path()) })
	return os.Rename(fresh, v.path())
}

// vendorDiffers compares what is vendored of go-feature-flag with the fork: every vendored file must be the fork's,
// line ends aside. It returns why it is not, or nothing.
func vendorDiffers(v vendoring, fork string) (string, error) {
	root := filepath.Join(v.path(), filepath.FromSlash(modtree.UpstreamPath))
	reason := ""
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			missing, err := notVendored(path, filepath.Join(fork, rel))
			if errors.Is(err, fs.ErrNotExist) {
				return fs.SkipDir // a module below go-feature-flag's path, modules/core: it is vendored as it is
			}
			if missing != "" {
				reason = filepath.ToSlash(filepath.Join(rel, missing)) + " of the fork is not vendored"
				return fs.SkipAll
			}
			return err
		}
		vendored, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		forked, err := os.ReadFile(filepath.Join(fork, rel))
		if errors.Is(err, fs.ErrNotExist) || err == nil && hash(vendored) != hash(forked) {
			reason = filepath.ToSlash(rel) + " is not the fork's"
			return fs.SkipAll
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil // nothing of it is built
	}
	return reason, err
}

// notVendored finds a file of a fork's package that builds read and the vendored package lacks. A folder without
// vendored Go files is only on the way to a package.
func notVendored(vendored, fork string) (string, error) {
	entries, err := os.ReadDir(fork)
	if err != nil {
		return "", err
	}
	if any, err := filepath.Glob(filepath.Join(vendored, "*.go")); err != nil || len(any) == 0 {
		return "", err
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".go" || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		if _, err := os.Stat(filepath.Join(vendored, e.Name())); err == nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join(fork, e.Name()))
		if err != nil {
			return "", err
		}
		if !bytes.Contains(text, []byte("//go:build ignore")) { // the go command does not vendor those
			return e.Name(), nil
		}
	}
	return "", nil
}

// vendorListed tells whether modules.txt names the folder of the fork, which the go command insists on.
func vendorListed(v vendoring, fork string) (bool, error) {
	rel, err := relative(v.dir, fork)
	if err != nil {
		return false, err
	}
	text, err := os.ReadFile(filepath.Join(v.path(), "modules.txt"))
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte("# "+modtree.UpstreamPath+" ")) && bytes.HasSuffix(bytes.TrimSpace(line), []byte("=> "+rel)) {
			return true, err
		}
	}
	return false, err
}

// relative is a replace line's target: slash-separated, beginning with ./ or ../.
func relative(from, to string) (string, error) {
	rel, err := filepath.Rel(from, to)
	if err != nil {
		return "", err
	}
	rel = filepath.ToSlash(rel)
	if rel != ".." && !(len(rel) > 2 && rel[:3] == "../") {
		rel = "./" + rel
	}
	return rel, nil
}
