package adopt

import (
	"context"
	"encoding/json"
	"fmt"
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
	out, err := goCommand(ctx, s.Root, env, append(args, modtree.UpstreamPath)...)
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

// Pins is what the service records of a version: what its go.sum, or the fork's lock, says it must hash to. Both fields
// may be empty.
func (s *Service) Pins(version string, lock *modtree.Lock) (modtree.Hashes, error) {
	return s.pins(version, lock)
}

// pins collects what go.sum files record of a version, and what the lock does: a tidy drops the lines of go.sum while
// the fork is in use.
func (s *Service) pins(version string, lock *modtree.Lock, more ...[]byte) (modtree.Hashes, error) {
	var found modtree.Hashes
	if lock != nil && lock.Base == version {
		found = modtree.Hashes{Sum: lock.Sum, GoModSum: lock.GoModSum}
	}
	texts := more
	for _, file := range s.sumFiles() {
		text, err := readIfThere(file)
		if err != nil {
			return found, err
		}
		texts = append(texts, text)
	}
	for _, text := range texts {
		for _, line := range sumLines(text) {
			fields := strings.Fields(line)
			switch fields[1] {
			case version:
				found.Sum = fields[2]
			case version + "/go.mod":
				found.GoModSum = fields[2]
			}
		}
	}
	return found, nil
}

// sumFiles are the go.sum files that builds here read.
func (s *Service) sumFiles() []string {
	var files []string
	for _, dir := range s.Modules {
		files = append(files, filepath.Join(dir, "go.sum"))
	}
	if s.Workspace != "" {
		files = append(files, filepath.Join(s.Home(), "go.work.sum"))
	}
	return files
}

func readIfThere(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	return data, err
}
