package regress

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/offlock/offlock/internal/fork"
	"github.com/offlock/offlock/internal/modtree"
	"github.com/offlock/offlock/patches"
)

// builder builds the service of one clone, once an arm, into a temporary folder.
type builder struct {
	service string // folder of the service's module
	temp    string // everything written goes below it
	series  *patches.Series
}

// library is what an arm's binary must turn out to hold.
type library struct {
	version  string
	sum      string          // of the release, for a plain arm
	goModSum string          // of its go.mod
	dir      string          // the fork's folder, for a patched arm
	marker   *modtree.Marker // the fork's marker; nil for a plain arm
}

// countsTag makes the service read how the fork counts its events. It compiles only with the patch that brings the counts.
const countsTag, countsPatch = "offlock", "0004-"

// counts tells whether the library counts its events.
func (l library) counts() bool {
	return l.marker != nil && slices.ContainsFunc(l.marker.Patches, func(p string) bool { return strings.HasPrefix(p, countsPatch) })
}

// arm builds the service with the arm's library and checks the identity of the binary.
func (b *builder) arm(ctx context.Context, a Arm) (builtArm, error) {
	lib, err := b.library(ctx, a)
	if err != nil {
		return builtArm{}, fmt.Errorf("library of %s: %w", a.Name, err)
	}
	modFile, err := b.modFile(ctx, a.Name, lib)
	if err != nil {
		return builtArm{}, fmt.Errorf("go.mod of %s: %w", a.Name, err)
	}
	built := builtArm{Arm: a, binary: filepath.Join(b.temp, "bin", a.Name), patches: []string{}}
	flags := []string{"-mod=mod", "-modfile=" + modFile}
	if lib.counts() {
		flags = append(flags, "-tags="+countsTag)
	}
	if err := b.goBuild(ctx, built.binary, ".", flags...); err != nil {
		return builtArm{}, fmt.Errorf("service on %s: %w", a.Name, err)
	}
	if err := checkIdentity(built.binary, lib); err != nil {
		return builtArm{}, fmt.Errorf("service on %s: %w", a.Name, err)
	}
	if lib.marker != nil {
		built.patches = lib.marker.Patches
	}
	return built, nil
}

// companion builds the process that brings Redis and S3, from the service's own go.mod.
func (b *builder) companion(ctx context.Context) (string, error) {
	binary := filepath.Join(b.temp, "bin", "companion")
	if err := b.goBuild(ctx, binary, "./companion"); err != nil {
		return "", fmt.Errorf("companion: %w", err)
	}
	return binary, nil
}

// library fetches the arm's release and, for a patched arm, writes the fork.
func (b *builder) library(ctx context.Context, a Arm) (library, error) {
	if !a.Patched {
		recorded, ok := b.series.Base(a.Version)
		if !ok {
			return library{}, fmt.Errorf("%s has no base file, so its checksum is not known", a.Version)
		}
		base, err := modtree.Fetch(ctx, a.Version, modtree.Hashes{Sum: recorded.Sum, GoModSum: recorded.GoModSum})
		if err != nil {
			return library{}, err
		}
		return library{version: a.Version, sum: base.Sum, goModSum: base.GoModSum}, nil
	}
	f, err := fork.Build(ctx, b.series, a.Version, modtree.Hashes{}, a.Series)
	if err != nil {
		return library{}, err
	}
	dir := filepath.Join(b.temp, "fork", a.Name)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return library{}, err
	}
	swap, err := f.Tree.Write(dir)
	if err != nil {
		return library{}, err
	}
	if err := swap.Commit(); err != nil {
		return library{}, err
	}
	if err := swap.Done(); err != nil {
		return library{}, err
	}
	return library{version: a.Version, goModSum: f.Base.GoModSum, sum: f.Base.Sum, dir: dir, marker: &f.Tree.Marker}, nil
}

// modFile writes a copy of the service's go.mod and go.sum that selects the library, and returns the path of the former.
// All other requirements stay as the service has them.
func (b *builder) modFile(ctx context.Context, name string, lib library) (string, error) {
	path := filepath.Join(b.temp, "mod", name+".mod")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	content, err := os.ReadFile(filepath.Join(b.service, "go.mod"))
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return "", err
	}
	edits := []string{"mod", "edit", "-require=" + modtree.UpstreamPath + "@" + lib.version}
	if lib.dir != "" {
		edits = append(edits, "-replace="+modtree.UpstreamPath+"="+lib.dir)
	}
	if err := b.goCommand(ctx, append(edits, path)...); err != nil {
		return "", err
	}

	sums, err := os.ReadFile(filepath.Join(b.service, "go.sum"))
	if err != nil {
		return "", err
	}
	// The release was verified, so its own lines need not come from anywhere else.
	sums = append(bytes.TrimRight(sums, "\n"), '\n')
	sums = fmt.Appendf(sums, "%s %s %s\n", modtree.UpstreamPath, lib.version, lib.sum)
	sums = fmt.Appendf(sums, "%s %s/go.mod %s\n", modtree.UpstreamPath, lib.version, lib.goModSum)
	return path, os.WriteFile(filepath.Join(b.temp, "mod", name+".sum"), sums, 0o644)
}

// goBuild builds one main package of the service's module.
func (b *builder) goBuild(ctx context.Context, binary, pkg string, flags ...string) error {
	// -trimpath: without it the build cache would not know a fork again that was written to another temporary folder.
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-o", binary}, flags...)
	return b.goCommand(ctx, append(args, pkg)...)
}

// goCommand runs the go command in the service's folder. The error carries what it printed.
func (b *builder) goCommand(ctx context.Context, args ...string) error {
	goTemp := filepath.Join(b.temp, "go")
	if err := os.MkdirAll(goTemp, 0o755); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = b.service
	// GOWORK: -modfile cannot be used in a workspace. GOTMPDIR: what an interrupted build leaves goes with our folder.
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOTMPDIR="+goTemp)
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	cmd.WaitDelay = 10 * time.Second // for the group's last output
	output, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("go %s in %s: %w\n%s", args[0], b.service, err, bytes.TrimSpace(output))
	}
	return nil
}
