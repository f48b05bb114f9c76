package patches

import (
	"fmt"
	"strings"

	"golang.org/x/mod/semver"
)

// Range is the set of upstream releases that a patch is for: every release that meets all of its comparisons. The zero value
// is "all".
type Range []Comparison

// Comparison is one bound of a Range, such as "< v1.53.0".
type Comparison struct {
	Op      string // "<", "<=", ">", ">=" or "="
	Version string
}

// Contains tells whether a release is in the range.
func (r Range) Contains(version string) bool {
	for _, c := range r {
		order := semver.Compare(version, c.Version)
		met := false
		switch c.Op {
		case "<":
			met = order < 0
		case "<=":
			met = order <= 0
		case ">":
			met = order > 0
		case ">=":
			met = order >= 0
		case "=":
			met = order == 0
		}
		if !met {
			return false
		}
	}
	return true
}

// String writes the range as PATCH.md has it.
func (r Range) String() string {
	if len(r) == 0 {
		return "all"
	}
	parts := make([]string, len(r))
	for i, c := range r {
		parts[i] = c.Op + " " + c.Version
	}
	return strings.Join(parts, ", ")
}

func parseRange(text string) (Range, error) {
	if text == "all" {
		return nil, nil
	}
	var r Range
	for _, item := range commas(text) {
		// Longer operators first, or "<=" would be read as "<".
		for _, op := range []string{"<=", ">=", "<", ">", "="} {
			version, ok := strings.CutPrefix(item, op)
			if version = strings.TrimSpace(version); ok && semver.IsValid(version) {
				r = append(r, Comparison{op, version})
				break
			} else if ok {
				return nil, fmt.Errorf("%q does not end in a release such as v1.53.0", item)
			}
		}
	}
	if len(r) == 0 || len(r) != len(commas(text)) {
		return nil, fmt.Errorf("%q is neither \"all\" nor comparisons such as \">= v1.53.0, < v2.0.0\"", text)
	}
	return r, nil
}
