package regress

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/offlock/offlock/patches"
)

// Lab builds test binaries of one module on the arms and runs them, for a measurement other than [Prove]. It has a temporary
// folder, which a later call of [NewLab] or [Prove] removes if this process is killed. Its methods must not overlap.
type Lab struct {
	work      *workdir
	builder   *builder
	libraries map[string]library   // by the arm's name
	common    map[string]moduleSet // by package: what its binaries so far hold
}

// NewLab makes a lab for the module in the folder.
func NewLab(module string) (*Lab, error) {
	series, err := patches.Embedded()
	if err != nil {
		return nil, err
	}
	work, err := newWorkdir()
	if err != nil {
		return nil, err
	}
	return &Lab{
		work:      work,
		builder:   &builder{service: module, temp: work.path, series: series},
		libraries: map[string]library{},
		common:    map[string]moduleSet{},
	}, nil
}

// Close removes the temporary folder with all binaries.
func (l *Lab) Close() error { return l.work.remove() }

// BuildTest builds the test binary of a package ("./addevent") of the module on the arm's library, and returns its path. The
// binary holds that library, which was checked, and otherwise the same modules as the package's binaries before it. The error of
// a build that fails carries what the compiler said.
func (l *Lab) BuildTest(ctx context.Context, a Arm, pkg string) (binary string, err error) {
	lib, ok := l.libraries[a.Name]
	if !ok {
		if lib, err = l.builder.library(ctx, a); err != nil {
			return "", fmt.Errorf("library of %s: %w", a.Name, err)
		}
		l.libraries[a.Name] = lib
	}
	modFile, err := l.builder.modFile(ctx, a.Name, lib)
	if err != nil {
		return "", fmt.Errorf("go.mod of %s: %w", a.Name, err)
	}
	flags := []string{"-mod=mod", "-modfile=" + modFile}
	if binary, err = l.test(ctx, a.Name, pkg, flags...); err != nil {
		return "", err
	}
	if err := l.checkTest(ctx, binary, lib, pkg, flags); err != nil {
		return "", fmt.Errorf("%s on %s: %w", pkg, a.Name, err)
	}
	return binary, nil
}

// BuildPlainTest builds the test binary of a package from the module's own go.mod: for packages that are the same on every
// arm. The name says whose binary it is.
func (l *Lab) BuildPlainTest(ctx context.Context, name, pkg string) (binary string, err error) {
	return l.test(ctx, name, pkg)
}

func (l *Lab) test(ctx context.Context, name, pkg string, flags ...string) (string, error) {
	binary := filepath.Join(l.work.path, "bin", name, filepath.Base(pkg)+".test")
	if err := os.MkdirAll(filepath.Dir(binary), 0o755); err != nil {
		return "", err
	}
	// -trimpath and -vet=off: as for the service, see goBuild; and no vetting, which is not a measurement's business.
	args := append([]string{"test", "-c", "-trimpath", "-vet=off", "-o", binary}, flags...)
	if err := l.builder.goCommand(ctx, append(args, pkg)...); err != nil {
		return "", fmt.Errorf("%s on %s: %w", pkg, name, err)
	}
	return binary, nil
}

// Command prepares a run of a binary, in a process group of its own that is killed when ctx ends.
func (l *Lab) Command(ctx context.Context, binary string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, binary, args...)
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	cmd.WaitDelay = 10 * time.Second // for the group's last output
	return cmd
}
