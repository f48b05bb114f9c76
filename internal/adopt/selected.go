package adopt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/offlock/offlock/internal/modtree"
)

// Selected is the go-feature-flag that a build in the service selects.
type Selected struct {
	Version  string
	Indirect bool   // only something that the service requires asks for it
	Folder   string // what replaces it: a folder, absolute; empty if nothing does
}

// listed is what `go list -m -json` tells of a module.
type listed struct {
	Version  string
	Main     bool
	Indirect bool
	Replace  *struct{ Path, Version string }
	Dir      string
}

// Selected asks the go command which version the build selects, also when it is only an indirect requirement, and in a
// workspace what the workspace selects. It is [ErrNotRequired] if there is none in the build.
func (s *Service) Selected(ctx context.Context) (*Selected, error) {
	// The vendor folder tells less, and it may be the very thing that is wrong: -mod=readonly passes it by.
	return s.selected(ctx, nil, "-mod=readonly")
}

func (s *Service) selected(ctx context.Context, env []string, flags ...string) (*Selected, error) {
	args := append([]string{"list", "-m", "-json"}, flags...)
	var out []byte
	err := s.keepWorkSum(func() (err error) {
		out, err = goCommand(ctx, s.Root, env, append(args, modtree.UpstreamPath)...)
		return err
	})
	if failed, ok := err.(*GoError); ok && strings.Contains(failed.Stderr, "not a known dependency") {
		return nil, fmt.Errorf("%w: run this in a service that uses it, or add it first (go get %s)", ErrNotRequired, modtree.UpstreamPath)
	}
	if err != nil {
		return nil, fmt.Errorf("which go-feature-flag the build selects: %w", err)
	}
	var m listed
	if err := json.Unmarshal(out, &m); err != nil {
		return nil, fmt.Errorf("go list -m printed what is not JSON: %w", err)
	}
	if m.Main {
		return nil, fmt.Errorf("this is %s itself, there is nothing to replace", modtree.UpstreamPath)
	}
	sel := &Selected{Version: m.Version, Indirect: m.Indirect}
	if m.Replace != nil {
		sel.Folder = m.Dir
		if sel.Folder == "" {
			sel.Folder = m.Replace.Path
		}
	}
	return sel, nil
}

func readIfThere(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	return data, err
}

// keepWorkSum puts go.work.sum back after a go command that was only to look: in a workspace the go command adds lines
// to it even then.
func (s *Service) keepWorkSum(look func() error) error {
	if s.Workspace == "" {
		return look()
	}
	path := filepath.Join(s.Home(), "go.work.sum")
	before, err := os.ReadFile(path)
	absent := errors.Is(err, fs.ErrNotExist)
	if err != nil && !absent {
		return err
	}
	failed := look()
	after, err := readIfThere(path)
	switch {
	case err != nil || bytes.Equal(before, after):
	case absent:
		err = os.Remove(path)
	default:
		err = modtree.ReplaceFile(path, before, 0o644)
	}
	if failed != nil {
		return failed
	}
	return err
}
