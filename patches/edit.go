package patches

import (
	"path"
	"strings"
)

// anchor is where a declaration that upstream does not have goes: behind the one before it in the patch file.
type anchor struct {
	src  *source
	top  int    // behind the whole declaration
	spec int    // behind the spec, for the next one of the same group of ours
	ours *group // that group; nil if there is none
}

// edit makes the edits of one patch file. They go to the file of that path, or to wherever upstream has moved a declaration.
func (a *application) edit(f *patchFile) error {
	last, err := a.firstAnchor(f)
	if err != nil {
		return err
	}
	whole := map[*group]bool{} // groups of ours that were added in one piece
	for i, e := range f.edits {
		if e.op == declare && whole[e.unit.group] {
			a.added(f, e.unit, e)
			continue
		}
		theirs, p, err := a.resolve(f, e.name)
		if err != nil {
			return err
		}
		if p == nil && theirs == nil && e.op == declare {
			if g := e.unit.group; g != nil && last.ours != g {
				if whole[g], err = a.noneExists(f, g); err != nil {
					return err
				}
			}
			if last, err = a.add(f, i, last, whole[e.unit.group]); err != nil {
				return err
			}
			continue
		}
		if p == nil && theirs == nil {
			p = &problem{Gone, "there is no such declaration in " + f.src.scope(),
				"see what upstream has in its place, or whether a patch that this one needs is left out"}
		}
		if p == nil && theirs.src.file.Name.Name != f.src.file.Name.Name {
			p = &problem{Gone, "its package is called " + theirs.src.file.Name.Name, "correct the package clause of the patch file"}
		}
		if p == nil {
			p = a.change(f, e, theirs)
		}
		if p != nil {
			return a.fail(f, e.name, p)
		}
		last = anchor{theirs.src, theirs.top(), theirs.tail, nil}
		if theirs.group != nil && e.op == declare {
			last.ours = e.unit.group
		}
	}
	return nil
}

// firstAnchor is behind the imports of the file, or of nothing if upstream has moved it.
func (a *application) firstAnchor(f *patchFile) (anchor, error) {
	if ok, err := a.tree.exists(f.path); !ok {
		return anchor{}, err
	}
	s, err := a.tree.source(f.path)
	if err != nil {
		return anchor{}, err
	}
	if name := s.file.Name.Name; name != f.src.file.Name.Name {
		return anchor{}, a.fail(f, "package "+f.src.file.Name.Name, &problem{Gone, "upstream's file is of package " + name,
			"correct the package clause of the patch file"})
	}
	return anchor{src: s, top: s.head()}, nil
}

// resolve finds the declaration that a patch file means: the one of its package, and of its own path if there are several, as
// with build constraints. No declaration and no problem: upstream has none.
func (a *application) resolve(f *patchFile, name string) (*unit, *problem, error) {
	if name == "_" {
		return nil, nil, nil
	}
	found, err := a.tree.find(f.src.scope(), name)
	if err != nil {
		return nil, nil, err
	}
	var own []*unit
	for _, u := range found {
		if u.src.path == f.path {
			own = append(own, u)
		}
	}
	switch {
	case name == "init": // each file has its own
		found = own
	case len(found) > 1 && len(own) > 0:
		found = own
	}
	if len(found) > 1 {
		places := make([]string, len(found))
		for i, u := range found {
			places[i] = path.Base(u.src.path)
		}
		return nil, &problem{Ambiguous, "it is declared more than once, in " + strings.Join(places, ", "),
			"give the patch file the path of the one that is meant"}, nil
	}
	if len(found) == 0 {
		return nil, nil, nil
	}
	return found[0], nil, nil
}

// change edits a declaration that upstream has.
func (a *application) change(f *patchFile, e *edit, theirs *unit) *problem {
	s, p := e.place(theirs)
	if p != nil {
		return p
	}
	a.touch(theirs, e)
	a.splice(f, theirs.src, s)
	return nil
}

// place turns an edit of a declaration into a splice of its file.
func (e *edit) place(theirs *unit) (splice, *problem) {
	switch e.op {
	case declare:
		return e.replaceDecl(theirs)
	case deleteDecl:
		return e.removeDecl(theirs)
	case addFields:
		return e.spliceFields(theirs)
	case deleteFile:
		return splice{}, &problem{Drifted, "delete-file stands beside other edits", "write it into a file of its own"}
	}
	return e.spliceStmt(theirs)
}

func (a *application) splice(f *patchFile, src *source, s splice) {
	t := a.targets[src.path]
	if t == nil {
		t = &target{src: src}
		a.targets[src.path] = t
	}
	t.splices = append(t.splices, s)
	if len(t.ours) == 0 || t.ours[len(t.ours)-1] != f.src {
		t.ours = append(t.ours, f.src)
	}
}

// add puts a declaration that upstream does not have behind the one before it.
func (a *application) add(f *patchFile, i int, last anchor, wholeGroup bool) (anchor, error) {
	e := f.edits[i]
	if last.src == nil {
		return last, a.fail(f, e.name, &problem{Gone, "upstream has no such file any more, and nothing before the declaration tells where it went",
			"see where upstream has moved the file"})
	}
	a.added(f, e.unit, e)
	g := e.unit.group
	if wholeGroup {
		text := append([]byte("\n\n"), e.unit.src.text[g.doc:g.tail]...)
		a.splice(f, last.src, splice{last.top, last.top, text, e})
		return anchor{src: last.src, top: last.top}, nil
	}
	if g != nil && last.ours == g {
		a.splice(f, last.src, splice{last.spec, last.spec, append([]byte("\n\t"), e.unit.text(true)...), e})
		return last, nil
	}
	if g != nil {
		next, err := a.nextInGroup(f, i)
		if err != nil {
			return last, err
		}
		if next != nil {
			at := lineStart(next.src.text, next.doc)
			a.splice(f, next.src, splice{at, at, append(e.unit.text(true), '\n'), e})
			return anchor{src: next.src, top: next.top()}, nil
		}
	}
	a.splice(f, last.src, splice{last.top, last.top, append([]byte("\n\n"), e.unit.text(false)...), e})
	return anchor{src: last.src, top: last.top}, nil
}

// added notes the names of a declaration that is new. Of "_" and init there may be any number.
func (a *application) added(f *patchFile, u *unit, e *edit) {
	for _, name := range u.names {
		if name != "_" && name != "init" {
			a.log.added = append(a.log.added, touch{scope: f.src.scope(), name: name, path: f.path, whole: true, added: true, edit: e})
		}
	}
}

// noneExists tells whether a group of ours is new as a whole.
func (a *application) noneExists(f *patchFile, g *group) (bool, error) {
	for _, u := range g.units {
		theirs, p, err := a.resolve(f, u.names[0])
		if theirs != nil || p != nil || err != nil {
			return false, err
		}
	}
	return true, nil
}

// nextInGroup finds the first later spec of the same group of ours that upstream has in a group too.
func (a *application) nextInGroup(f *patchFile, i int) (*unit, error) {
	for _, e := range f.edits[i+1:] {
		if e.unit == nil || e.unit.group != f.edits[i].unit.group {
			continue
		}
		theirs, _, err := a.resolve(f, e.name)
		if err != nil || theirs != nil && theirs.group != nil {
			return theirs, err
		}
	}
	return nil, nil
}
