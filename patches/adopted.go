package patches

import (
	"bytes"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// adopted tells whether upstream's code reads as the patch would make it. Tests do not count, unless there is nothing else:
// upstream may well have written its own.
func (c *comparison) adopted() (bool, error) {
	files := slices.DeleteFunc(slices.Clone(c.files), func(f *patchFile) bool { return strings.HasSuffix(f.path, "_test.go") })
	if len(files) == 0 {
		files = c.files
	}
	if len(c.patch.Copies) > 0 {
		return false, nil
	}
	for _, f := range files {
		ok, err := c.adoptedFile(f)
		if !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (c *comparison) adoptedFile(f *patchFile) (bool, error) {
	tree := c.run.pristine
	exists, err := tree.exists(f.path)
	if err != nil {
		return false, err
	}
	if f.src == nil {
		if !exists {
			return false, nil
		}
		text, err := tree.read(f.path)
		return bytes.Equal(text, f.whole), err
	}
	a := &application{patch: c.patch, tree: tree}
	for _, e := range f.edits {
		if e.op == deleteFile {
			return !exists, nil
		}
		theirs, p, err := a.resolve(f, e.name)
		if err != nil || p != nil || !e.adoptedBy(theirs) {
			return false, err
		}
	}
	return true, nil
}

// adoptedBy tells whether upstream's declaration, nil if there is none, is as the edit would leave it.
func (e *edit) adoptedBy(theirs *unit) bool {
	if theirs == nil {
		return e.op == deleteDecl
	}
	switch e.op {
	case declare:
		return e.unit.fingerprint() == theirs.fingerprint()
	case addFields:
		return e.hasFields(theirs)
	case replaceStmt, deleteStmt, beforeStmt, afterStmt:
		_, p := e.pick(theirs)
		gone := p != nil && p.state == Gone
		switch e.op {
		case deleteStmt:
			return gone
		case replaceStmt:
			return gone && e.hasStatements(theirs)
		}
		return e.hasStatements(theirs)
	}
	return false
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

// hasStatements tells whether our statements stand in upstream's function, one after the other.
func (e *edit) hasStatements(theirs *unit) bool {
	if theirs.body() == nil {
		return false
	}
	var ours []string
	for _, st := range e.unit.body().List {
		ours = append(ours, e.unit.src.stmtFingerprint(st))
	}
	for _, st := range theirs.src.statements(theirs.body()) {
		rest := st.list[st.index:]
		if len(ours) == 0 || len(rest) < len(ours) {
			continue
		}
		same := true
		for i := range ours {
			same = same && theirs.src.stmtFingerprint(rest[i]) == ours[i]
		}
		if same {
			return true
		}
	}
	return false
}
