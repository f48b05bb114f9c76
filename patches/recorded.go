package patches

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// Base is one recorded upstream release (patches/bases/VERSION.json): what it is, and what of it the series relies on.
type Base struct {
	Version  string `json:"version"`
	Sum      string `json:"sum"`      // module hash, "h1:…"
	GoModSum string `json:"goModSum"` // hash of go.mod, "h1:…"
	Commit   string `json:"commit"`   // upstream commit of the tag

	Patches      map[string]*PatchRecord `json:"patches"`      // by the patch's name, for those that are for this release
	Fingerprints map[string]Fingerprint  `json:"fingerprints"` // by address, of upstream's own code
}

// PatchRecord is what one patch has to do with upstream's code on one base. Addresses are "FOLDER:NAME", "FOLDER_test:NAME" for
// an external test package, or "FILE:NAME" where the folder declares the name more than once. What an earlier patch that is
// needed has replaced or added is not upstream's, and not listed.
type PatchRecord struct {
	Touches []string `json:"touches"`         // replaced, deleted or edited inside
	Adds    []string `json:"adds,omitempty"`  // must not exist upstream
	Files   []string `json:"files,omitempty"` // whole files; must not exist upstream
	Leans   []string `json:"leans,omitempty"` // used by our code, or named in the Leans line

	// Results are the functions that the patch edits inside, as it left them: by address, the hash of the code.
	Results map[string]string `json:"results,omitempty"`
}

// Fingerprint is one declaration of upstream as it was recorded.
type Fingerprint struct {
	File   string `json:"file"`
	Tokens string `json:"tokens"` // hash of the code alone
	Text   string `json:"text"`   // hash of the text, comments included
}

// candidates are the bases whose records a version is compared with: its own, or, for a version without one, those that the
// patch is for, the nearest older release first. Without any, the reason says why.
func (r *run) candidates(p *Patch) (list []*Base, reason string) {
	if b, ok := r.series.bases[r.version]; ok {
		if b.Patches[p.Name] == nil {
			return nil, fmt.Sprintf("the record of %s does not have it", r.version)
		}
		return []*Base{b}, ""
	}
	reason = "no release that it is for has been recorded"
	var older, newer []*Base
	for _, b := range r.series.Bases() {
		switch {
		case b.Patches[p.Name] == nil || !p.For.Contains(b.Version):
		case !r.standsAlike(p, b):
			reason = "no recorded release has it upon the same patches as " + r.version
		case semver.Compare(b.Version, r.version) < 0:
			older = append(older, b)
		default:
			newer = append(newer, b)
		}
	}
	slices.Reverse(older)
	return append(older, newer...), reason
}

// standsAlike tells whether the patch stands on the same patches here as on a base, and those were matched with that base too.
// What a needed patch owns is not in the record, so that a record says nothing where another set of patches is applied below.
func (r *run) standsAlike(p *Patch, b *Base) bool {
	here := r.series.below(p, r.version)
	for needed := range here {
		if r.matched[needed] != b.Version {
			return false
		}
	}
	return maps.Equal(here, r.series.below(p, b.Version))
}

// locate returns upstream's units for an address; more than one if it has become ambiguous.
func (t *tree) locate(address string) ([]*unit, error) {
	scope, name, _ := strings.Cut(address, ":")
	if !strings.HasSuffix(scope, ".go") {
		return t.find(scope, name)
	}
	if ok, err := t.exists(scope); !ok {
		return nil, err
	}
	s, err := t.source(scope)
	if err != nil {
		return nil, err
	}
	return s.find(name), nil
}

// address is how a declaration of t is written down.
func (t *tree) address(scope, name, file string) (string, error) {
	units, err := t.find(scope, name)
	if len(units) > 1 {
		return file + ":" + name, err
	}
	return scope + ":" + name, err
}

func (u *unit) record() Fingerprint {
	return Fingerprint{u.src.path, u.fingerprint(), textHash(u.whole())}
}

// sorted is never nil, so that an empty list reads [] in JSON.
func sorted(set map[string]bool) []string {
	return append([]string{}, slices.Sorted(maps.Keys(set))...)
}
