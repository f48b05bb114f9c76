package patches

import (
	"bytes"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// verdict is what upstream's code says of an edit, or of a patch.
type verdict int

const (
	missing verdict = iota // it does not read as the edit would make it
	silent                 // it may, but shows nothing of ours: what is gone may be worded in another way now
	present                // it does, and did not when it was recorded
)

// adopted tells whether upstream's code reads as the patch would make it, and shows something that the patch brought. Tests
// do not count, unless there is nothing else: upstream may well have written its own.
func (c *comparison) adopted(record *PatchRecord) (bool, error) {
	files := slices.DeleteFunc(slices.Clone(c.files), func(f *patchFile) bool { return strings.HasSuffix(f.path, "_test.go") })
	if len(files) == 0 {
		files = c.files
	}
	if len(c.patch.Copies) > 0 {
		return false, nil
	}
	all := silent
	for _, f := range files {
		v, err := c.adoptedFile(f, record)
		if v == missing || err != nil {
			return false, err
		}
		all = max(all, v)
	}
	return all == present, nil
}

func (c *comparison) adoptedFile(f *patchFile, record *PatchRecord) (verdict, error) {
	tree := c.run.pristine
	exists, err := tree.exists(f.path)
	if err != nil {
		return missing, err
	}
	if f.src == nil {
		if !exists {
			return missing, nil
		}
		text, err := tree.read(f.path)
		if !bytes.Equal(text, f.whole) {
			return missing, err
		}
		return present, err
	}
	a := &application{patch: c.patch, tree: tree}
	all := silent
	for _, e := range f.edits {
		if e.op == deleteFile {
			if exists {
				return missing, nil
			}
			continue
		}
		theirs, p, err := a.resolve(f, e.name)
		if err != nil || p != nil {
			return missing, err
		}
		v, err := c.adoptedEdit(e, theirs, record)
		if v == missing || err != nil {
			return missing, err
		}
		all = max(all, v)
	}
	return all, nil
}

// adoptedEdit looks at upstream's declaration, nil if there is none.
func (c *comparison) adoptedEdit(e *edit, theirs *unit, record *PatchRecord) (verdict, error) {
	switch {
	case e.op == deleteDecl && theirs == nil:
		return silent, nil
	case e.op == deleteDecl || theirs == nil:
		return missing, nil
	case e.op == addFields:
		if e.hasFields(theirs) {
			return present, nil
		}
		return missing, nil
	}
	address, err := c.run.pristine.address(theirs.src.scope(), theirs.String(), theirs.src.path)
	if err != nil {
		return missing, err
	}
	// That our statements stand somewhere in the function would say little: they may have stood there before. It has to read
	// as a whole as the patch left it.
	want := record.Results[address]
	if e.op == declare {
		want = e.unit.fingerprint()
	}
	switch theirs.fingerprint() {
	case c.base.Fingerprints[address].Tokens: // an edit of comments alone
		if want == theirs.fingerprint() {
			return silent, nil
		}
	case want:
		return present, nil
	}
	return missing, nil
}

func (e *edit) hasFields(theirs *unit) bool {
	spec, ok := theirs.node.(*ast.TypeSpec)
	if !ok || members(spec) == nil {
		return false
	}
	for _, ours := range members(e.unit.node.(*ast.TypeSpec)).List {
		for _, name := range memberNames(ours) {
			f := member(members(spec), name)
			if f == nil || e.unit.src.typePrint(ours) != theirs.src.typePrint(f) {
				return false
			}
		}
	}
	return true
}

func (s *source) typePrint(f *ast.Field) string {
	return fingerprint(token.ILLEGAL, s.text[s.offset(f.Type.Pos()):s.offset(f.Type.End())])
}
