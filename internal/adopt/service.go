package adopt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/offlock/offlock/internal/modtree"
)

// DefaultDir is where the fork is written, below the folder of the service's module or of its workspace.
const DefaultDir = "third_party/go-feature-flag"

// maxModFile is the size up to which the go command itself reads a go.mod.
const maxModFile = 16 << 20

// Errors on which a caller decides.
var (
	// ErrNoModule: the folder is in no Go module.
	ErrNoModule = errors.New("no Go module here: run offlock in the folder of a service's go.mod, or name it with -C")
	// ErrNotRequired: the build does not contain go-feature-flag.
	ErrNotRequired = errors.New("no go-feature-flag in this build: neither go.mod nor what it requires asks for " + modtree.UpstreamPath)
	// ErrNotAdopted: there is no fork here that could be checked or reverted.
	ErrNotAdopted = errors.New("the fork is not adopted here")
)

// Service is a Go module that uses go-feature-flag, or is about to use the fork of it.
type Service struct {
	Root      string   // folder of its go.mod
	Workspace string   // go.work file that builds in Root use; empty outside of a workspace
	Modules   []string // folders of the modules that are built together: those of the workspace, or Root alone

	cwd        string // where relative paths start
	plainFlags string // GOFLAGS without what chooses another go.mod or a vendor folder
}

// Open finds the service that dir belongs to and reads its go.mod, and the go.work of its workspace with the go.mod
// of every module in it. A file that does not parse is an error that names file and line.
func Open(ctx context.Context, dir string) (*Service, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	env, err := goEnv(ctx, dir, "GOMOD", "GOWORK", "GOFLAGS")
	if err != nil {
		return nil, err
	}
	if strings.Contains(env["GOFLAGS"], "-modfile") {
		return nil, fmt.Errorf("GOFLAGS sets -modfile, so builds do not read go.mod: unset it (GOFLAGS=%s)", env["GOFLAGS"])
	}
	if env["GOWORK"] == "off" {
		env["GOWORK"] = ""
	}
	gomod := env["GOMOD"]
	if gomod == "" || gomod == os.DevNull || gomod == "NUL" {
		if env["GOWORK"] != "" {
			return nil, fmt.Errorf("%w (%s is a workspace: choose one of its modules)", ErrNoModule, env["GOWORK"])
		}
		return nil, ErrNoModule
	}
	s := &Service{Root: filepath.Dir(gomod), cwd: dir}
	s.plainFlags = strings.Join(slices.DeleteFunc(strings.Fields(env["GOFLAGS"]), func(flag string) bool {
		return strings.HasPrefix(strings.TrimLeft(flag, "-"), "mod=")
	}), " ")
	s.Modules = []string{s.Root}
	if _, err := s.module(s.Root); err != nil {
		return nil, err
	}
	if env["GOWORK"] != "" {
		s.Workspace = env["GOWORK"]
		if err := s.openWorkspace(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Service) openWorkspace() error {
	work, err := s.work()
	if err != nil {
		return err
	}
	s.Modules = nil
	for _, use := range work.Use {
		dir := filepath.FromSlash(use.Path)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(s.Home(), dir)
		}
		if _, err := s.module(dir); err != nil {
			return err
		}
		s.Modules = append(s.Modules, dir)
	}
	if !slices.ContainsFunc(s.Modules, func(dir string) bool { return sameFile(dir, s.Root) }) {
		return fmt.Errorf("%s does not use the module in %s: add it with go work use, or set GOWORK=off", s.Workspace, s.Root)
	}
	return nil
}

// Home is the folder that the fork belongs to: the workspace's, or the module's.
func (s *Service) Home() string {
	if s.Workspace != "" {
		return filepath.Dir(s.Workspace)
	}
	return s.Root
}

// modFiles are the files that may hold a replace line of a build here: go.work first, then every go.mod.
func (s *Service) modFiles() []string {
	var files []string
	if s.Workspace != "" {
		files = append(files, s.Workspace)
	}
	for _, dir := range s.Modules {
		files = append(files, filepath.Join(dir, "go.mod"))
	}
	return files
}

// own are the files that get the line: go.work, if there is one, and the go.mod of the service itself.
func (s *Service) own() []string {
	gomod := filepath.Join(s.Root, "go.mod")
	if s.Workspace != "" {
		return []string{s.Workspace, gomod}
	}
	return []string{gomod}
}

// files are the files of the service and its workspace that adoption may concern.
func (s *Service) files() []string {
	var files []string
	if s.Workspace != "" {
		files = append(files, s.Workspace, filepath.Join(s.Home(), "go.work.sum"))
	}
	for _, dir := range s.roots() {
		files = append(files, filepath.Join(dir, "go.mod"), filepath.Join(dir, "go.sum"))
	}
	return files
}

// show is a path as messages name it: relative to where the command runs, if that is shorter.
func (s *Service) show(path string) string {
	rel, err := filepath.Rel(s.cwd, path)
	if err != nil || len(rel) >= len(path) {
		return path
	}
	return filepath.ToSlash(rel)
}

func (s *Service) showAll(paths []string) []string {
	shown := []string{}
	for _, path := range paths {
		shown = append(shown, s.show(path))
	}
	return shown
}

func (s *Service) module(dir string) (*modfile.File, error) {
	path := filepath.Join(dir, "go.mod")
	data, err := readModFile(path)
	if err != nil {
		return nil, err
	}
	f, err := modfile.Parse(s.show(path), data, nil)
	if err != nil {
		return nil, fmt.Errorf("go.mod does not parse, mend it first: %w", parseError(err))
	}
	if f.Module == nil {
		return nil, fmt.Errorf("%s:1: no module directive: is this the go.mod of a service?", s.show(path))
	}
	return f, nil
}

func (s *Service) work() (*modfile.WorkFile, error) {
	data, err := readModFile(s.Workspace)
	if err != nil {
		return nil, err
	}
	f, err := modfile.ParseWork(s.show(s.Workspace), data, nil)
	if err != nil {
		return nil, fmt.Errorf("go.work does not parse, mend it first: %w", parseError(err))
	}
	return f, nil
}

// readModFile reads no more than the go command would.
func readModFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxModFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxModFile {
		return nil, fmt.Errorf("%s:1: larger than %d MiB, which the go command refuses too", path, maxModFile>>20)
	}
	return data, nil
}

// sameFile tells whether two paths name one file, however they spell it.
func sameFile(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	ai, aerr := os.Stat(a)
	bi, berr := os.Stat(b)
	return aerr == nil && berr == nil && os.SameFile(ai, bi)
}
