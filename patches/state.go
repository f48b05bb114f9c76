package patches

import (
	"io/fs"
)

// State of a patch against a version.
type State string

// The states. Clean, CommentOnly and Moved apply; the others do not.
const (
	Clean        State = "clean"
	CommentOnly  State = "comment-only"      // only comments or layout around the same code differ
	Moved        State = "moved"             // the same code is in another file now
	Drifted      State = "drifted"           // upstream changed a declaration that the patch changes
	ContextDrift State = "context-drift"     // upstream changed something that the patch leans on
	Gone         State = "gone"              // a declaration, statement or file that the patch changes is not there
	Ambiguous    State = "ambiguous"         // there is more than one that it could mean
	Adopted      State = "adopted"           // upstream reads as the patch would make it
	Landed       State = "landed"            // PATCH.md names a release, at or below this one, that has it
	NotForBase   State = "not-for-this-base" // PATCH.md leaves the release out
	LeftOut      State = "left-out"          // by the selection
)

// Applies tells whether a patch in this state is part of the fork.
func (s State) Applies() bool { return s == Clean || s == CommentOnly || s == Moved }

// refuses tells whether a selected patch in this state stops Apply. Adopted does not: upstream has it all already.
func (s State) refuses() bool {
	return s == Drifted || s == ContextDrift || s == Gone || s == Ambiguous
}

// severity orders the states of findings, so that the worst names the patch.
var severity = []State{Clean, CommentOnly, Moved, ContextDrift, Adopted, Drifted, Gone, Ambiguous}

// Report says what became of one patch.
type Report struct {
	Patch    *Patch
	State    State
	Reason   string    // one sentence: why this state; empty for Clean
	Base     string    // the recorded release that the version was compared with; empty if none was
	PulledBy string    // the patch that needed it, if it was not selected itself
	Findings []Finding // the declarations that are not clean
	Changes  []Change  // what it changed, if it applied; sorted by path
}

// Finding is one declaration that is not clean.
type Finding struct {
	File   string // upstream's path
	Decl   string // "managerImpl.AddEvent"; empty for a whole file
	State  State
	Reason string // what is the matter with it
	Diff   string // what upstream changed since the recorded base, unified; empty when that source is not at hand
}

// Change is one file before and after a patch (Before nil: added; After nil: deleted).
type Change struct {
	Path          string // slash-separated, below the module root
	Before, After []byte
}

// Result of applying a selection.
type Result struct {
	Version string
	Tested  bool              // the version has a base file: upstream's tests were run on this fork before release
	Reports []Report          // one a patch of the series, in order
	Files   map[string][]byte // the final content of every changed or added file; a deleted one maps to nil
}

// Applied lists the names of the patches that are part of the result, in order.
func (r *Result) Applied() []string {
	var names []string
	for _, report := range r.Reports {
		if report.State.Applies() {
			names = append(names, report.Patch.Name)
		}
	}
	return names
}

// Options of Status and Apply. The zero value selects every patch and checks them all.
type Options struct {
	Selection
	// Source opens the tree of another recorded base, to show what upstream changed since. May be nil.
	Source func(version string) (fs.FS, error)
	// Unrecorded skips the comparison with the recorded bases. It is for whoever writes a patch, before it is recorded;
	// a fork made this way may have overwritten what upstream changed.
	Unrecorded bool
}
