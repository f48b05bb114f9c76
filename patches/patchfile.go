package patches

import (
	"bytes"
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
)

// ignoreTag keeps the go command away from patch files. Any other tag would still be read by go mod tidy.
const ignoreTag = "//go:build ignore"

// patchFile is one file of a patch: what is to be done to the file of that path, or its whole content if upstream has none.
type patchFile struct {
	path  string // upstream's path
	base  string // the release that it overrides the plain file for; "" for the plain file
	whole []byte // its content as a new file
	src   *source
	edits []*edit // in the order of the file; nil for a file that is not Go
}

type operation int

const (
	declare operation = iota // replaces the declaration of that name, or adds it
	deleteDecl
	addFields
	replaceStmt
	beforeStmt
	afterStmt
	deleteStmt
	deleteFile
)

var verbs = map[string]operation{"replace": replaceStmt, "before": beforeStmt, "after": afterStmt}

// edit is one thing that a patch file does.
type edit struct {
	op     operation
	name   string // what it addresses: "NewManager", "managerImpl.AddEvent"
	unit   *unit  // our declaration; for statements the func _ that holds them
	text   []byte // fields or statements, as we wrote them
	field  string // addFields: behind which; "" for the end
	stmt   string // fingerprint of the statement
	nth    int    // which of several equal statements, from 1; 0: there must be one
	offset int    // in the patch file
}

func parsePatchFile(name, base string, text []byte) (*patchFile, error) {
	f := &patchFile{path: name, base: base, whole: text}
	if path.Ext(name) != ".go" {
		return f, nil
	}
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	if string(first) != ignoreTag {
		return nil, fmt.Errorf("its first line must be %q, so that it is no part of this module's build", ignoreTag)
	}
	f.whole = bytes.TrimPrefix(rest, []byte("\n"))
	src, err := parseSource(name, text)
	if err != nil {
		return nil, err
	}
	f.src = src
	if err := f.readDirectives(); err != nil {
		return nil, err
	}
	for _, u := range src.units {
		if err := f.readUnit(u); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(f.edits, func(a, b *edit) int { return a.offset - b.offset })
	return f, nil
}

// directive is one "//offlock:" comment line.
type directive struct {
	words  []string
	offset int
}

// directives returns the directives of a comment group.
func (s *source) directives(g *ast.CommentGroup) []directive {
	if g == nil {
		return nil
	}
	var list []directive
	for _, c := range g.List {
		if text, ok := strings.CutPrefix(c.Text, "//offlock:"); ok {
			list = append(list, directive{strings.Fields(text), s.offset(c.Pos())})
		}
	}
	return list
}

func (f *patchFile) fail(offset int, format string, args ...any) error {
	return fmt.Errorf("line %d: %s", f.src.line(offset), fmt.Sprintf(format, args...))
}

// readDirectives reads those that stand for themselves, and refuses the ones that do not belong where they are.
func (f *patchFile) readDirectives() error {
	for _, g := range f.src.file.Comments {
		for _, d := range f.src.directives(g) {
			if len(d.words) == 0 {
				return f.fail(d.offset, "a directive without a name; docs/patches.md lists them")
			}
			for _, u := range f.src.units {
				if d.offset > u.pos && d.offset < u.end {
					return f.fail(d.offset, "directive %s is inside %s; write it above the declaration", d.words[0], u)
				}
			}
			switch name := d.words[0]; name {
			case "delete":
				e, err := f.deletion(d)
				if err != nil {
					return err
				}
				f.edits = append(f.edits, e)
			case "delete-file":
				f.edits = append(f.edits, &edit{op: deleteFile, name: f.path, offset: d.offset})
			case "fields", "replace", "before", "after":
				if !f.attached(d) {
					return f.fail(d.offset, "directive %s must stand directly above its declaration", name)
				}
			default:
				return f.fail(d.offset, "unknown directive %q; docs/patches.md lists them", name)
			}
		}
	}
	return nil
}

func (f *patchFile) deletion(d directive) (*edit, error) {
	switch len(d.words) {
	case 2:
		return &edit{op: deleteDecl, name: d.words[1], offset: d.offset}, nil
	case 3:
		e := &edit{op: deleteStmt, name: d.words[1], offset: d.offset}
		if !e.setStmt(d.words[2]) {
			return nil, f.fail(d.offset, "%q is not the fingerprint of a statement", d.words[2])
		}
		return e, nil
	}
	return nil, f.fail(d.offset, "delete takes a declaration, or a function and the fingerprint of a statement")
}

// attached tells whether a directive is in the doc comment of a declaration.
func (f *patchFile) attached(d directive) bool {
	for _, u := range f.src.units {
		if d.offset >= u.doc && d.offset < u.pos {
			return true
		}
	}
	return false
}

// readUnit turns one declaration of a patch file into an edit.
func (f *patchFile) readUnit(u *unit) error {
	var own *directive
	for _, g := range f.src.file.Comments {
		for _, d := range f.src.directives(g) {
			if d.offset < u.doc || d.offset >= u.pos || strings.HasPrefix(d.words[0], "delete") {
				continue
			}
			if own != nil {
				return f.fail(d.offset, "%s has a second directive; write one declaration for each", u)
			}
			own = &d
		}
	}
	if own == nil {
		if u.kind.String() == "func" && u.names[0] == "_" {
			return f.fail(u.pos, "func _ without a replace, before or after directive above it")
		}
		f.edits = append(f.edits, &edit{op: declare, name: u.names[0], unit: u, offset: u.pos})
		return nil
	}
	e := &edit{unit: u, offset: u.pos}
	f.edits = append(f.edits, e)
	if own.words[0] == "fields" {
		return f.readFields(e, u, own)
	}
	return f.readStatements(e, u, own)
}

func (f *patchFile) readFields(e *edit, u *unit, d *directive) error {
	spec, ok := u.node.(*ast.TypeSpec)
	if !ok {
		return f.fail(d.offset, "fields stands above a struct or interface type")
	}
	list := members(spec)
	if list == nil || len(list.List) == 0 {
		return f.fail(d.offset, "type %s has no fields to add", u)
	}
	e.op, e.name = addFields, u.names[0]
	switch {
	case len(d.words) == 3 && d.words[1] == "after":
		e.field = d.words[2]
	case len(d.words) != 1:
		return f.fail(d.offset, "fields takes nothing, or \"after FIELD\"")
	}
	e.text = inside(f.src, list.Opening, list.Closing)
	if apart(f.src, list) {
		e.text = append([]byte{'\n'}, e.text...)
	}
	return nil
}

func (f *patchFile) readStatements(e *edit, u *unit, d *directive) error {
	op := verbs[d.words[0]]
	if u.names[0] != "_" || u.body() == nil {
		return f.fail(d.offset, "%s stands above func _() { … }", d.words[0])
	}
	if len(d.words) != 3 {
		return f.fail(d.offset, "%s takes a function and the fingerprint of a statement", d.words[0])
	}
	e.op, e.name = op, d.words[1]
	if !e.setStmt(d.words[2]) {
		return f.fail(d.offset, "%q is not the fingerprint of a statement", d.words[2])
	}
	e.text = inside(f.src, u.body().Lbrace, u.body().Rbrace)
	if len(bytes.TrimSpace(e.text)) == 0 {
		return f.fail(d.offset, "func _ is empty; use //offlock:delete to remove a statement")
	}
	return nil
}
