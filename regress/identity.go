package regress

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/offlock/offlock/internal/modtree"
)

// checkIdentity compares what a built binary says of itself with the library that it was built for.
func checkIdentity(binary string, want library) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	dep := dependency(info, modtree.UpstreamPath)
	if dep == nil {
		return fmt.Errorf("%s holds no %s", binary, modtree.UpstreamPath)
	}
	if dep.Version != want.version {
		return fmt.Errorf("%s holds %s %s instead of %s", binary, dep.Path, dep.Version, want.version)
	}
	marker, err := modtree.ReadMarker(binary)
	if want.marker == nil {
		switch {
		case dep.Replace != nil:
			return fmt.Errorf("%s should hold plain %s, but it is replaced by %s", binary, want.version, dep.Replace.Path)
		case dep.Sum != want.sum:
			return fmt.Errorf("%s holds %s with the hash %s instead of %s", binary, want.version, dep.Sum, want.sum)
		case err == nil:
			return fmt.Errorf("%s should hold plain %s, but carries the marker of a fork of %s", binary, want.version, marker.Base)
		case !errors.Is(err, modtree.ErrNoMarker):
			return err
		}
		return nil
	}
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(marker, *want.marker) {
		return fmt.Errorf("%s carries another fork's marker: %+v instead of %+v", binary, marker, *want.marker)
	}
	return nil
}

func dependency(info *debug.BuildInfo, path string) *debug.Module {
	i := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == path })
	if i < 0 {
		return nil
	}
	return info.Deps[i]
}

// checkShared makes sure that the library is all that differs between the arms: a dependency that several hold must have
// one version in all of them.
func checkShared(arms []builtArm) error {
	type holder struct{ version, arm string }
	first := map[string]holder{}
	var differing []string
	for _, arm := range arms {
		info, err := buildinfo.ReadFile(arm.binary)
		if err != nil {
			return err
		}
		for _, dep := range info.Deps {
			if dep.Path == modtree.UpstreamPath {
				continue
			}
			version := dep.Version
			if dep.Replace != nil {
				version = dep.Replace.Path + "@" + dep.Replace.Version
			}
			before, ok := first[dep.Path]
			if !ok {
				first[dep.Path] = holder{version, arm.Name}
			} else if before.version != version {
				differing = append(differing, fmt.Sprintf("%s: %s in %s, %s in %s", dep.Path, before.version, before.arm, version, arm.Name))
			}
		}
	}
	if len(differing) > 0 {
		return fmt.Errorf("the arms differ in more than the library, so their figures cannot be compared; "+
			"require one version in the service's go.mod:\n%s", strings.Join(differing, "\n"))
	}
	return nil
}
