package patches

import (
	"bytes"
	"fmt"
	"go/format"
	"io/fs"
	"maps"
	"slices"
)

// EditError says which edit of a patch cannot be made, and what to do about it.
type EditError struct {
	Patch   string
	File    string // of the patch, at upstream's path
	Decl    string
	State   State
	Problem string
	Next    string
}

func (e *EditError) Error() string {
	return fmt.Sprintf("patch %s: %s: %s: %s (%s); %s", e.Patch, e.File, e.Decl, e.Problem, e.State, e.Next)
}

// application puts one patch into a tree. Every edit is resolved against the tree as it was before the patch; nothing is
// written until all of them are.
type application struct {
	patch   *Patch
	tree    *tree
	record  *PatchRecord // what was recorded; nil: the author is at work, nothing is known yet
	sources fs.FS
	module  string
	// admit, if set, may refuse what the patch would do, before anything is written.
	admit func(*application) error

	targets map[string]*target
	writes  map[string][]byte // whole files; nil deletes
	log     editLog
}

// target is a file under edit.
type target struct {
	src     *source
	splices []splice
	ours    []*source // the patch files that edit it
	regions []region  // what is ours in it, counted from the end of the file since the imports above are still to change
	text    []byte    // after all edits, before it was formatted
}

// editLog is what a patch did, by address.
type editLog struct {
	touched []touch
	added   []touch
	files   []string
}

// touch is a declaration that was changed.
type touch struct {
	scope, name, path string
	whole             bool  // replaced, added or deleted, so that nothing of the former is left
	added             bool  // it was not there before
	edit              *edit // what was done to it; nil if the whole file was added or deleted
}

// all is what was touched and what was added.
func (l *editLog) all() []touch { return slices.Concat(l.touched, l.added) }

// run makes every edit and returns what changed, sorted by path.
func (a *application) run(files []*patchFile) ([]Change, error) {
	a.targets, a.writes = map[string]*target{}, map[string][]byte{}
	var err error
	if a.module, err = a.tree.module(); err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := a.file(f); err != nil {
			return nil, err
		}
	}
	if err := a.copies(); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(a.targets)) {
		if _, taken := a.writes[name]; taken {
			return nil, &EditError{a.patch.Name, name, "the file", Drifted, "it is deleted and edited", "do one of the two"}
		}
		if a.writes[name], err = a.finish(a.targets[name]); err != nil {
			return nil, err
		}
	}
	if a.admit != nil {
		if err := a.admit(a); err != nil {
			return nil, err
		}
	}
	var changes []Change
	for _, name := range slices.Sorted(maps.Keys(a.writes)) {
		before, err := a.readOptional(name)
		if err != nil {
			return nil, err
		}
		changes = append(changes, Change{name, before, a.writes[name]})
		a.tree.write(name, a.writes[name])
	}
	if len(changes) == 0 {
		return nil, &EditError{a.patch.Name, "PATCH.md", a.patch.Title, Drifted, "the patch changes nothing here",
			"narrow its For line"}
	}
	return changes, nil
}

func (a *application) readOptional(name string) ([]byte, error) {
	if ok, err := a.tree.exists(name); !ok {
		return nil, err
	}
	return a.tree.read(name)
}

func (a *application) fail(f *patchFile, decl string, p *problem) error {
	return &EditError{a.patch.Name, f.path, decl, p.state, p.text, p.next}
}

// file takes one file of the patch: a new one is written, any other is edited.
func (a *application) file(f *patchFile) error {
	exists, err := a.tree.exists(f.path)
	if err != nil {
		return err
	}
	if f.src == nil {
		if exists {
			return a.fail(f, "the file", &problem{Drifted, "upstream has it too, and only Go files can be edited", "add yours under another name"})
		}
		return a.create(f)
	}
	if len(f.edits) == 0 {
		if f.base == "" {
			return a.fail(f, "package "+f.src.file.Name.Name, &problem{Drifted, "the file declares nothing", "remove it"})
		}
		return nil // an empty override: nothing to do on that base
	}
	if len(f.edits) == 1 && f.edits[0].op == deleteFile {
		return a.deleteFile(f, exists)
	}
	if exists {
		return a.edit(f)
	}
	isNew, err := a.isNew(f)
	if err != nil {
		return err
	}
	if isNew {
		return a.create(f)
	}
	return a.edit(f)
}

// isNew tells whether a file that the tree does not have is one of ours, or one that upstream has moved. The record knows;
// without it every declaration must be new.
func (a *application) isNew(f *patchFile) (bool, error) {
	if a.record != nil {
		return slices.Contains(a.record.Files, f.path), nil
	}
	if slices.ContainsFunc(f.edits, func(e *edit) bool { return e.op != declare }) {
		return false, nil
	}
	for _, e := range f.edits {
		u, p, err := a.resolve(f, e.name)
		if err != nil {
			return false, err
		}
		if u != nil || p != nil {
			where := "more than one file"
			if u != nil {
				where = u.src.path
			}
			return false, a.fail(f, e.name, &problem{Drifted, "there is no such file, but the declaration is in " + where,
				"give the patch file that path, or the declaration another name"})
		}
	}
	return true, nil
}

func (a *application) create(f *patchFile) error {
	a.writes[f.path] = f.whole
	a.log.files = append(a.log.files, f.path)
	if f.src == nil {
		return nil
	}
	for _, u := range f.src.units {
		a.added(f, u, nil)
	}
	return nil
}

func (a *application) deleteFile(f *patchFile, exists bool) error {
	if !exists {
		return a.fail(f, "the file", &problem{Gone, "upstream has no such file", "remove the patch file"})
	}
	src, err := a.tree.source(f.path)
	if err != nil {
		return err
	}
	for _, u := range src.units {
		a.touch(u, nil)
	}
	a.writes[f.path] = nil
	return nil
}

// touch notes what an edit, nil for the deletion of the file, does to a declaration.
func (a *application) touch(u *unit, e *edit) {
	whole := e == nil || e.op == declare || e.op == deleteDecl
	a.log.touched = append(a.log.touched, touch{scope: u.src.scope(), name: u.String(), path: u.src.path, whole: whole, edit: e})
}

// finish makes the new text of a file.
func (a *application) finish(t *target) ([]byte, error) {
	fail := func(text string) error {
		return &EditError{a.patch.Name, t.src.path, "the file", Drifted, text, "correct the patch"}
	}
	text, regions, err := splices(t.src.text, t.splices)
	if err != nil {
		return nil, fail(err.Error())
	}
	for i, r := range regions {
		regions[i] = region{len(text) - r.start, len(text) - r.end}
	}
	t.regions = regions
	if text, err = fixImports(t.src, text, t.ours, a.module); err != nil {
		return nil, fail("the result is not Go: " + err.Error())
	}
	t.text = text
	clean, err := format.Source(text)
	if err != nil {
		return nil, fail("the result is not Go: " + err.Error())
	}
	// Aligning a field may move its neighbours, so that formatting has to see all of them. It changes nothing else in a file
	// that was formatted before; one that was not is left as it is.
	if was, err := format.Source(t.src.text); err == nil && bytes.Equal(was, t.src.text) {
		text = clean
	}
	if bytes.Equal(text, t.src.text) {
		return nil, fail("the edits change nothing")
	}
	return text, nil
}
