package patches

import (
	"fmt"
	"slices"
)

// ledger notes which patch has changed which declaration, so that none undoes what another one has done that it does not
// build on, and no edit depends on whether that one is selected.
type ledger struct {
	pristine *tree
	entries  map[string][]entry // by address, in the order of the series
}

// entry is one change of a declaration.
type entry struct {
	patch *Patch
	needs map[*Patch]bool // what the patch builds on, at any remove
	touch touch
}

// does says what the patch does to the declaration, for a message.
func (e entry) does() string {
	switch {
	case !e.touch.whole:
		return e.patch.Name + " edits it"
	case e.touch.added:
		return e.patch.Name + " adds it"
	}
	return e.patch.Name + " replaces or deletes it"
}

// check refuses a patch that was tried on the tree, if it meets one that it does not need in the same declaration. Two
// patches may edit inside of one, where each edit finds its place in upstream's text and no two overlap there.
func (l *ledger) check(a *application, needs map[*Patch]bool) error {
	for _, t := range a.log.all() {
		address, err := l.pristine.address(t.scope, t.name, t.path)
		if err != nil {
			return err
		}
		var theirs *unit
		if units, err := l.pristine.locate(address); err != nil {
			return err
		} else if len(units) == 1 {
			theirs = units[0]
		}
		ours := entry{a.patch, needs, t}
		for _, other := range l.entries[address] {
			if other.patch == a.patch || needs[other.patch] {
				continue
			}
			if p := l.clash(other, ours, address, theirs); p != nil {
				return &EditError{a.patch.Name, t.path, t.name, Drifted, p.text, p.next}
			}
		}
	}
	return nil
}

// note enters a patch that was applied.
func (l *ledger) note(a *application, needs map[*Patch]bool) error {
	for _, t := range a.log.all() {
		address, err := l.pristine.address(t.scope, t.name, t.path)
		if err != nil {
			return err
		}
		l.entries[address] = append(l.entries[address], entry{a.patch, needs, t})
	}
	return nil
}

// clash tells why two patches cannot both change a declaration, theirs as upstream has it; nil if they can.
func (l *ledger) clash(first, second entry, address string, theirs *unit) *problem {
	why := func(format string, args ...any) *problem {
		return &problem{text: fmt.Sprintf(format, args...),
			next: "edit other places, or add " + first.patch.Number() + " to the Needs line"}
	}
	if first.touch.whole || second.touch.whole || theirs == nil {
		return why("%s too", first.does())
	}
	// What a third patch makes of the declaration is no text that both know.
	if slices.ContainsFunc(l.entries[address], func(e entry) bool { return first.needs[e.patch] || second.needs[e.patch] }) {
		return why("%s too, and one of the two builds on a third patch there", first.does())
	}
	if second.touch.edit.nth > 0 {
		return why("it counts equal statements, and %s too", first.does())
	}
	var both []splice
	for _, e := range []*edit{first.touch.edit, second.touch.edit} {
		s, p := e.place(theirs)
		if p != nil {
			return why("what it names is not upstream's, and %s too", first.does())
		}
		both = append(both, s)
	}
	if _, _, err := splices(theirs.src.text, both); err != nil {
		return why("its edit overlaps one of %s", first.patch.Name)
	}
	return nil
}
