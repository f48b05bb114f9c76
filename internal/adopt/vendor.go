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
	if err := t.replacing(v.path(), keptFolder{Vendor: true}); err != nil {
		return err
	}
	_, fresh, _ := besides(v.path())
	env, args := []string{"GOWORK=off"}, []string{"mod", "vendor", "-o", fresh}
	if v.work {
		env, args = nil, []string{"work", "vendor", "-o", fresh}
	}
	_, err := goCommand(ctx, v.dir, env, args...)
	atStep()
	if err != nil {
		err = fmt.Errorf("the vendor folder could not be made anew, the former one is back: %w", err)
	}
	if err := errors.Join(err, t.settle()); err != nil {
		return err
	}
	if err := t.setAside(v.path()); err != nil {
		return err
	}
	if err := os.Rename(fresh, v.path()); err != nil {
		return err
	}
	atStep()
	return nil
}

// vendorDiffers compares what is vendored of go-feature-flag with the fork: every vendored file must be the fork's,
// line ends aside. It returns why it is not, or nothing.
func vendorDiffers(v vendoring, fork string) (string, error) {
	listed, err := vendoredPackages(v)
	if err != nil {
		return "", err
	}
	for _, name := range listed {
		files, err := filepath.Glob(filepath.Join(v.path(), filepath.FromSlash(name), "*.go"))
		if err != nil || len(files) == 0 {
			return "package " + name + " is missing", err
		}
	}
	root := filepath.Join(v.path(), filepath.FromSlash(modtree.UpstreamPath))
	reason := ""
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
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

// vendoredPackages are the packages of go-feature-flag that modules.txt says are vendored.
func vendoredPackages(v vendoring) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(v.path(), "modules.txt"))
	var packages []string
	within := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "# "):
			within = strings.HasPrefix(line, "# "+modtree.UpstreamPath+" ")
		case within && !strings.HasPrefix(line, "#") && line != "":
			packages = append(packages, line)
		}
	}
	return packages, err
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
