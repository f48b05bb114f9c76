package patches

import (
	"fmt"
	"strings"
)

// DriftError says which patches do not apply, where, and what to do.
type DriftError struct {
	Version string
	Reports []Report // of the patches that do not apply
}

func (e *DriftError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%d of the selected patches do not apply to %s\n", len(e.Reports), e.Version)
	var numbers []string
	for _, r := range e.Reports {
		numbers = append(numbers, r.Patch.Number())
		fmt.Fprintf(&text, "\npatch %s: %s: %s\n", r.Patch.Name, r.State, r.Reason)
		for _, f := range r.Findings {
			fmt.Fprintf(&text, "  %s: %s (%s)\n", strings.TrimSuffix(f.File+": "+f.Decl, ": "), f.Reason, f.State)
			for line := range strings.Lines(f.Diff) {
				text.WriteString("    " + line)
			}
		}
	}
	fmt.Fprintf(&text, "\nnext: use a release that the series was recorded on, leave the patches out (--without %s), or adapt them as docs/patches.md describes",
		strings.Join(numbers, ", "))
	return text.String()
}
