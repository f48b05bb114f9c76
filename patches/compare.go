package patches

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// check compares upstream's code with what was recorded for a patch. The record is the one to apply it by, nil if it does not
// apply.
func (r *run) check(p *Patch) (Report, *PatchRecord, error) {
	if r.opts.Unrecorded {
		return Report{Patch: p, State: Clean}, nil, nil
	}
	bases, reason := r.candidates(p)
	if len(bases) == 0 {
		return Report{Patch: p, State: Drifted,
			Reason: reason + "; record it with \"go run ./patches/author record VERSION\""}, nil, nil
	}
	var nearest *comparison
	for _, b := range bases {
		c := &comparison{run: r, patch: p, base: b, files: p.variant(b.Version)}
		if err := c.compare(b.Patches[p.Name]); err != nil {
			return Report{}, nil, err
		}
		if c.state.Applies() {
			return c.report(), b.Patches[p.Name], nil
		}
		if nearest == nil {
			nearest = c
		}
	}
	if err := nearest.explain(); err != nil {
		return Report{}, nil, err
	}
	return nearest.report(), nil, nil
}

// comparison collects the findings for one patch and one recorded base.
type comparison struct {
	run   *run
	patch *Patch
	base  *Base
	files []*patchFile // of the patch, for that base
	found []found
	state State
}

type found struct {
	Finding
	address string // empty for a file
}

func (c *comparison) compare(record *PatchRecord) error {
	for _, step := range []func(*PatchRecord) error{c.touches, c.adds, c.newFiles, c.leans} {
		if err := step(record); err != nil {
			return err
		}
	}
	slices.SortStableFunc(c.found, func(a, b found) int { return strings.Compare(a.File+":"+a.Decl, b.File+":"+b.Decl) })
	c.state = Clean
	for _, f := range c.found {
		if slices.Index(severity, f.State) > slices.Index(severity, c.state) {
			c.state = f.State
		}
	}
	if c.state.Applies() {
		return nil
	}
	adopted, err := c.adopted(record)
	if adopted {
		c.state, c.found = Adopted, nil
	}
	return err
}

func (c *comparison) note(file, address string, state State, reason string) {
	_, name, _ := strings.Cut(address, ":")
	c.found = append(c.found, found{Finding{File: file, Decl: name, State: state, Reason: reason}, address})
}

// touches looks at the declarations that the patch changes.
func (c *comparison) touches(record *PatchRecord) error {
	for _, address := range record.Touches {
		file, state, reason, err := c.since(address)
		if err != nil {
			return err
		}
		if state != Clean {
			c.note(file, address, state, reason)
		}
	}
	return nil
}

// leans looks at what the patch's code uses. Where that stands and how it is commented does not matter.
func (c *comparison) leans(record *PatchRecord) error {
	for _, address := range record.Leans {
		file, state, reason, err := c.since(address)
		if err != nil {
			return err
		}
		if !state.Applies() {
			c.note(file, address, ContextDrift, "the patch leans on it, and "+reason)
		}
	}
	return nil
}

// since tells what became of a recorded declaration, and where it is or was.
func (c *comparison) since(address string) (file string, state State, reason string, err error) {
	was := c.base.Fingerprints[address]
	u, n, err := c.unit(address, was)
	switch {
	case err != nil || n == 0:
		return was.File, Gone, "upstream has no such declaration any more", err
	case n > 1:
		return was.File, Ambiguous, fmt.Sprintf("upstream has %d declarations of that name", n), nil
	case u.fingerprint() != was.Tokens:
		return u.src.path, Drifted, "upstream changed it since " + c.base.Version, nil
	case u.src.path != was.File:
		return u.src.path, Moved, "it was in " + path.Base(was.File), nil
	case textHash(u.whole()) != was.Text:
		return u.src.path, CommentOnly, "its comments or its layout changed", nil
	}
	return u.src.path, Clean, "", nil
}

// unit returns upstream's declaration of an address, the one in the recorded file if there are several now, and how many
// it could be.
func (c *comparison) unit(address string, was Fingerprint) (*unit, int, error) {
	units, err := c.run.pristine.locate(address)
	if err != nil {
		return nil, 0, err
	}
	if len(units) > 1 {
		own := slices.DeleteFunc(slices.Clone(units), func(u *unit) bool { return u.src.path != was.File })
		if len(own) == 1 {
			units = own
		}
	}
	if len(units) != 1 {
		return nil, len(units), nil
	}
	return units[0], 1, nil
}

// adds looks whether upstream declares what the patch adds.
func (c *comparison) adds(record *PatchRecord) error {
	for _, address := range record.Adds {
		units, err := c.run.pristine.locate(address)
		if err != nil {
			return err
		}
		if len(units) > 0 {
			c.note(units[0].src.path, address, Drifted, "upstream has a declaration of that name now")
		}
	}
	return nil
}

func (c *comparison) newFiles(record *PatchRecord) error {
	for _, file := range record.Files {
		if ok, err := c.run.pristine.exists(file); err != nil {
			return err
		} else if ok {
			c.note(file, "", Drifted, "upstream has a file of that name now")
		}
	}
	return nil
}

// explain adds what upstream changed to the findings, if the base that the patch was written for is at hand.
func (c *comparison) explain() error {
	r := c.run
	if r.opts.Source == nil || len(c.found) == 0 || c.base.Version == r.version {
		return nil
	}
	source, err := r.opts.Source(c.base.Version)
	if err != nil {
		return fmt.Errorf("opening %s to show what changed since: %w", c.base.Version, err)
	}
	old := newTree(source)
	for i := range c.found {
		f := &c.found[i]
		if f.address == "" {
			continue
		}
		before, err := old.text(f.address)
		if err != nil {
			return err
		}
		after, err := r.pristine.text(f.address)
		if err != nil {
			return err
		}
		f.Diff = string(diff.Diff(f.Decl+" "+c.base.Version, before, f.Decl+" "+r.version, after))
	}
	return nil
}

// text is the text of the declarations of an address.
func (t *tree) text(address string) ([]byte, error) {
	units, err := t.locate(address)
	var text []byte
	for _, u := range units {
		text = append(append(text, u.whole()...), '\n')
	}
	return text, err
}

func (c *comparison) report() Report {
	r := Report{Patch: c.patch, State: c.state, Base: c.base.Version}
	n := 0
	for _, f := range c.found {
		r.Findings = append(r.Findings, f.Finding)
		if f.State == c.state {
			n++
		}
	}
	r.Reason = reason(c.state, n, c.base.Version)
	return r
}

func reason(state State, n int, since string) string {
	things := "1 declaration"
	if n != 1 {
		things = fmt.Sprintf("%d declarations", n)
	}
	switch state {
	case Clean:
		return ""
	case Adopted:
		return "upstream reads as the patch would make it; name the release in the patch's Landed line"
	case CommentOnly:
		return fmt.Sprintf("only comments or layout differ from %s, in %s", since, things)
	case Moved:
		return fmt.Sprintf("upstream moved %s since %s", things, since)
	case Gone:
		return fmt.Sprintf("upstream removed or renamed %s that the patch changes since %s", things, since)
	case Ambiguous:
		return fmt.Sprintf("upstream has %s that the patch changes more than once since %s", things, since)
	case ContextDrift:
		return fmt.Sprintf("upstream changed %s that the patch leans on since %s", things, since)
	}
	return fmt.Sprintf("upstream changed what the patch changes too since %s; %d to look at", since, n)
}
