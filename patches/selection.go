package patches

import (
	"fmt"
	"maps"
	"slices"
)

// Selection narrows the series. The zero value selects every patch that is for the version.
type Selection struct {
	Only    []string // names or numbers ("0003"); what they need is pulled in
	Without []string // names or numbers; an error if a selected patch needs one of them
}

// SelectionError says that a selection cannot be met: an unknown patch, one that is not for the version, or one that another
// needs.
type SelectionError struct {
	Patch   string // as the caller named it
	Problem string // one sentence, with the next step
}

func (e *SelectionError) Error() string { return e.Problem }

// plan is what a selection makes of the series, before any source is looked at.
type plan struct {
	selected map[*Patch]bool
	pulledBy map[*Patch]string
	left     map[*Patch]Report // NotForBase, Landed or LeftOut, with the reason
}

func (s *Series) plan(version string, sel Selection) (*plan, error) {
	pl := &plan{map[*Patch]bool{}, map[*Patch]string{}, map[*Patch]Report{}}
	for _, p := range s.Patches {
		switch {
		case !p.For.Contains(version):
			pl.left[p] = Report{Patch: p, State: NotForBase, Reason: fmt.Sprintf("it is for %s", p.For)}
		case p.landed(version):
			pl.left[p] = Report{Patch: p, State: Landed, Reason: "upstream has it since " + p.Landed}
		}
	}
	without, err := s.named(sel.Without)
	if err != nil {
		return nil, err
	}
	if err := s.start(pl, version, sel, without); err != nil {
		return nil, err
	}
	// Needs come earlier in the series, so that one pass from the end pulls in what is needed at any remove.
	for _, p := range slices.Backward(s.Patches) {
		if !pl.selected[p] {
			continue
		}
		for _, needed := range s.needs(p, version) {
			if slices.Contains(without, needed) {
				return nil, &SelectionError{needed.Name, fmt.Sprintf("patch %s needs %s; leave out both, or neither", p.Name, needed.Name)}
			}
			if _, gone := pl.left[needed]; !gone && !pl.selected[needed] {
				pl.selected[needed] = true
				pl.pulledBy[needed] = p.Name
			}
		}
	}
	for _, p := range s.Patches {
		if _, gone := pl.left[p]; !gone && !pl.selected[p] {
			pl.left[p] = Report{Patch: p, State: LeftOut, Reason: "the selection leaves it out"}
		}
	}
	return pl, nil
}

// Selected lists the names of the patches that a selection makes for a version, in order and with those that are pulled in,
// before any source is looked at. Apply leaves out of them only what upstream has adopted without our noting it. The error
// is a *SelectionError.
func (s *Series) Selected(version string, sel Selection) ([]string, error) {
	pl, err := s.plan(version, sel)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, p := range s.Patches {
		if pl.selected[p] {
			names = append(names, p.Name)
		}
	}
	return names, nil
}

// start selects what was asked for, without its needs.
func (s *Series) start(pl *plan, version string, sel Selection, without []*Patch) error {
	if len(sel.Only) == 0 {
		for _, p := range s.Patches {
			if _, gone := pl.left[p]; !gone && !slices.Contains(without, p) {
				pl.selected[p] = true
			}
		}
		return nil
	}
	only, err := s.named(sel.Only)
	if err != nil {
		return err
	}
	for _, p := range only {
		if r, gone := pl.left[p]; gone {
			return &SelectionError{p.Name, fmt.Sprintf("patch %s cannot be applied to %s: %s; leave it out of the selection", p.Name, version, r.Reason)}
		}
		if slices.Contains(without, p) {
			return &SelectionError{p.Name, fmt.Sprintf("patch %s is both asked for and left out; drop it from one of the two", p.Name)}
		}
		pl.selected[p] = true
	}
	return nil
}

func (s *Series) named(names []string) ([]*Patch, error) {
	var list []*Patch
	for _, name := range names {
		p, err := s.Find(name)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// needs returns the patches that p needs directly on a version.
func (s *Series) needs(p *Patch, version string) []*Patch {
	var list []*Patch
	for _, n := range p.Needs {
		if needed, err := s.Find(n.Patch); err == nil && n.active(version) { // Load has checked the names
			list = append(list, needed)
		}
	}
	return list
}

// allNeeds returns the patches that p needs on a version, at any remove.
func (s *Series) allNeeds(p *Patch, version string) map[*Patch]bool {
	all := map[*Patch]bool{}
	var walk func(*Patch)
	walk = func(p *Patch) {
		for _, needed := range s.needs(p, version) {
			if !all[needed] {
				all[needed] = true
				walk(needed)
			}
		}
	}
	walk(p)
	return all
}

// below returns the patches that p needs on a version and that the series applies there.
func (s *Series) below(p *Patch, version string) map[*Patch]bool {
	all := s.allNeeds(p, version)
	maps.DeleteFunc(all, func(needed *Patch, _ bool) bool { return !needed.For.Contains(version) || needed.landed(version) })
	return all
}
