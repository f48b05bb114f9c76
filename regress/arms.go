package regress

import (
	"fmt"
	"slices"
	"strings"

	"github.com/offlock/offlock/patches"
)

// Arm is one library that the service is built with, and how the service exports with it.
type Arm struct {
	Name      string            // "v1.52.1", "v1.52.1+split-lock", "fork"
	Version   string            // upstream release: "v1.55.2"
	Patched   bool              // the release carries the patches of Series
	Series    patches.Selection // which ones, if Patched; the zero value is all that are for the version
	Exporters bool              // the service exports through this module's exporters: Async over spool over s3
}

// The arms have roles in the verdicts: the fork and the exporters are judged, the release that both are made of or for is what
// they are held against.
const (
	forkName      = "fork"
	forkVersion   = "v1.55.2"
	exportersName = forkVersion + "+exporters"
)

// Arms lists every library: both upstream releases that are held against the fork, the fix that upstream itself took, and
// the fork, last.
func Arms() []Arm {
	return []Arm{
		{Name: "v1.52.1", Version: "v1.52.1"},
		{Name: "v1.52.1+split-lock", Version: "v1.52.1", Patched: true, Series: patches.Selection{Only: []string{"0001"}}},
		{Name: forkVersion, Version: forkVersion},
		{Name: forkName, Version: forkVersion, Patched: true},
	}
}

// serviceArms lists what [Prove] drives: every library, and before the fork the release with this module's exporters.
func serviceArms() []Arm {
	all := Arms()
	return slices.Insert(all, len(all)-1, Arm{Name: exportersName, Version: forkVersion, Exporters: true})
}

// sameBinary tells whether the service is built the same for both: they differ in its environment alone.
func (a Arm) sameBinary(b Arm) bool { return a.Version == b.Version && !a.Patched && !b.Patched }

// pick returns the items with the given names, in the order of all. No names: all of them. A name that is none of theirs
// is an *[UnknownError].
func pick[T any](kind string, all []T, name func(T) string, names []string) ([]T, error) {
	if len(names) == 0 {
		return all, nil
	}
	known := make([]string, len(all))
	for i, item := range all {
		known[i] = name(item)
	}
	for _, n := range names {
		if !slices.Contains(known, n) {
			return nil, &UnknownError{Kind: kind, Name: n, Known: known}
		}
	}
	var picked []T
	for _, item := range all {
		if slices.Contains(names, name(item)) {
			picked = append(picked, item)
		}
	}
	return picked, nil
}

// UnknownError is a name in the [Options] that names nothing.
type UnknownError struct {
	Kind  string   // "arm" or "scenario"
	Name  string   // as it was given
	Known []string // the names that there are
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("no %s is named %q; there are %s", e.Kind, e.Name, strings.Join(e.Known, ", "))
}
