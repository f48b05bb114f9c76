package bench

import (
	"slices"

	"github.com/offlock/offlock/regress"
)

// Arm is one set of test binaries.
type Arm struct {
	Name     string       // "v1.55.2", "fork", "peers": the value of the key "arm" in the results
	Library  *regress.Arm // what the packages are built with; nil: they do not measure the library
	Packages []string     // folders of the bench module: "./addevent"
}

// Arms lists every arm: the upstream releases and the fork, each with the same packages, and then those that measure something
// else, with packages of their own.
func Arms() []Arm {
	var all []Arm
	for _, library := range regress.Arms() {
		if len(library.Series.Only) > 0 {
			continue // a part of the series explains what prove finds; it is nothing to be faster than
		}
		all = append(all, Arm{Name: library.Name, Library: &library, Packages: []string{"./addevent"}})
	}
	return append(all,
		Arm{Name: "store", Packages: []string{"./store"}},
		Arm{Name: "peers", Packages: []string{"./peers"}},
	)
}

// pick returns the arms with the given names, in the order of [Arms]; no names: all. The error for any other name is a
// *[regress.UnknownError].
func pick(names []string) ([]Arm, error) {
	all := Arms()
	var known []string
	for _, arm := range all {
		known = append(known, arm.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, &regress.UnknownError{Kind: "arm", Name: name, Known: known}
		}
	}
	if len(names) == 0 {
		return all, nil
	}
	return slices.DeleteFunc(all, func(a Arm) bool { return !slices.Contains(names, a.Name) }), nil
}
