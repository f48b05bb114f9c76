package regress

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/offlock/offlock/internal/gocmd"
	"github.com/offlock/offlock/internal/modtree"
)

// moduleSet is the modules in a binary: path to what the build took for it.
type moduleSet map[string]string

// checkTest is checkIdentity and checkShared for a test binary, which does not say what modules it was built from. So the go
// command has to, with the flags of the build; the fork's marker is in the binary all the same.
func (l *Lab) checkTest(ctx context.Context, binary string, want library, pkg string, flags []string) error {
	modules, err := l.modules(ctx, pkg, flags)
	if err != nil {
		return err
	}
	wanted := want.version
	if want.dir != "" {
		wanted += " => " + want.dir
	}
	if got := modules[modtree.UpstreamPath]; got != wanted {
		return fmt.Errorf("it holds %s %q instead of %q", modtree.UpstreamPath, got, wanted)
	}
	marker, err := modtree.ReadMarker(binary)
	switch {
	case want.marker == nil && err == nil:
		return fmt.Errorf("it should hold plain %s, but carries the marker of a fork of %s", want.version, marker.Base)
	case want.marker == nil && !errors.Is(err, modtree.ErrNoMarker), want.marker != nil && err != nil:
		return err
	case want.marker != nil && !reflect.DeepEqual(marker, *want.marker):
		return fmt.Errorf("it carries another fork's marker: %+v instead of %+v", marker, *want.marker)
	}
	delete(modules, modtree.UpstreamPath)
	return l.checkCommon(pkg, modules)
}

// checkCommon makes sure that a module that several binaries of a package hold has one version in all of them.
func (l *Lab) checkCommon(pkg string, modules moduleSet) error {
	if l.common[pkg] == nil {
		l.common[pkg] = moduleSet{}
	}
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		before, ok := l.common[pkg][path]
		if ok && before != modules[path] {
			return fmt.Errorf("it differs from another arm in more than the library, so their figures cannot be compared; "+
				"require one version of %s in the benchmarks' go.mod: %q here, %q there", path, modules[path], before)
		}
		l.common[pkg][path] = modules[path]
	}
	return nil
}

// modules lists the modules that a package's test binary is built from.
func (l *Lab) modules(ctx context.Context, pkg string, flags []string) (moduleSet, error) {
	const format = `{{with .Module}}{{.Path}} {{.Version}}{{with .Replace}} => {{.Path}}{{with .Version}} {{.}}{{end}}{{end}}{{end}}`
	args := append([]string{"list", "-deps", "-test", "-f", format}, flags...)
	out, err := gocmd.Run(ctx, l.builder.service, []string{"GOWORK=off"}, append(args, pkg)...)
	if err != nil {
		return nil, err
	}
	modules := moduleSet{}
	for line := range strings.Lines(string(out)) {
		if path, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			modules[path] = version
		}
	}
	return modules, nil
}
