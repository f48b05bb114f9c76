package patches

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
)

// source is one parsed Go file. All offsets are into text; they come from token.File and not from token.Position, so that a
// "//line" comment cannot move them.
type source struct {
	path  string
	text  []byte
	file  *ast.File
	tok   *token.File
	units []*unit // top-level declarations but imports, in order
}

// unit is the smallest piece of a file that is replaced as a whole: a function or method, one spec, or a whole const group
// where the members depend on their order (iota, implicit repetition).
type unit struct {
	src   *source
	names []string    // "NewManager", "managerImpl.AddEvent"; several for `var a, b int` and for const groups
	kind  token.Token // FUNC, TYPE, CONST or VAR
	node  ast.Node    // *ast.FuncDecl, ast.Spec, or *ast.GenDecl for a const group

	doc, pos, end, tail int // offsets: doc comment (pos if none), code, its end, the end of a comment behind it (end if none)

	group *group // the parentheses that a spec stands in; nil outside any, and for const groups
}

// group is a parenthesised declaration whose specs are units of their own.
type group struct {
	doc, pos, end, tail int
	units               []*unit
}

func parseSource(name string, text []byte) (*source, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s := &source{path: name, text: text, file: file, tok: fset.File(file.FileStart)}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			s.add(&unit{names: []string{funcName(d)}, kind: token.FUNC, node: d}, d.Doc, d)
		case *ast.GenDecl:
			s.addGeneral(d)
		}
	}
	return s, nil
}

func (s *source) addGeneral(d *ast.GenDecl) {
	switch {
	case d.Tok == token.IMPORT:
	case !d.Lparen.IsValid():
		s.add(&unit{names: specNames(d.Specs[0]), kind: d.Tok, node: d.Specs[0]}, d.Doc, d)
	case ordered(d):
		u := &unit{kind: d.Tok, node: d}
		for _, spec := range d.Specs {
			u.names = append(u.names, specNames(spec)...)
		}
		s.add(u, d.Doc, d)
	default:
		whole := &unit{}
		s.measure(whole, d.Doc, d)
		g := &group{doc: whole.doc, pos: whole.pos, end: whole.end, tail: whole.tail}
		for _, spec := range d.Specs {
			u := &unit{names: specNames(spec), kind: d.Tok, node: spec, group: g}
			s.add(u, specDoc(spec), spec)
			g.units = append(g.units, u)
		}
	}
}

func (s *source) add(u *unit, doc *ast.CommentGroup, n ast.Node) {
	s.measure(u, doc, n)
	s.units = append(s.units, u)
}

func (s *source) measure(u *unit, doc *ast.CommentGroup, n ast.Node) {
	u.src = s
	u.pos, u.end = s.offset(n.Pos()), s.offset(n.End())
	u.doc = u.pos
	if doc != nil {
		u.doc = s.offset(doc.Pos())
	}
	u.tail = s.tail(u.end)
}

func (s *source) offset(p token.Pos) int { return s.tok.Offset(p) }

// line is the 1-based line of an offset, whatever "//line" comments say.
func (s *source) line(offset int) int { return s.tok.PositionFor(s.tok.Pos(offset), false).Line }

// tail returns the end of the comment that follows on the line of end, or end.
func (s *source) tail(end int) int {
	for _, g := range s.file.Comments {
		for _, c := range g.List {
			start := s.offset(c.Pos())
			if start >= end && len(bytes.Trim(s.text[end:start], " \t")) == 0 {
				return s.offset(c.End())
			}
			if start > end {
				return end
			}
		}
	}
	return end
}

// imports returns the import declarations.
func (s *source) imports() []*ast.GenDecl {
	var list []*ast.GenDecl
	for _, d := range s.file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			list = append(list, g)
		}
	}
	return list
}

// head is the end of the line of the last import, or of the package clause: where a first declaration can go.
func (s *source) head() int {
	end := s.offset(s.file.Name.End())
	if list := s.imports(); len(list) > 0 {
		end = s.offset(list[len(list)-1].End())
	}
	return s.tail(end)
}

// scope is the first half of an address: the folder, with "_test" behind it for an external test package.
func (s *source) scope() string {
	scope := path.Dir(s.path)
	if strings.HasSuffix(s.path, "_test.go") && strings.HasSuffix(s.file.Name.Name, "_test") {
		scope += "_test"
	}
	return scope
}

// find returns the units that declare a name.
func (s *source) find(name string) []*unit {
	var list []*unit
	for _, u := range s.units {
		for _, n := range u.names {
			if n == name {
				list = append(list, u)
			}
		}
	}
	return list
}

// top is the offset behind the whole top-level declaration that the unit is, or is part of.
func (u *unit) top() int {
	if u.group != nil {
		return u.group.tail
	}
	return u.tail
}

func (u *unit) code() []byte { return u.src.text[u.pos:u.end] }

func (u *unit) whole() []byte { return u.src.text[u.doc:u.tail] }

func (u *unit) body() *ast.BlockStmt {
	if f, ok := u.node.(*ast.FuncDecl); ok {
		return f.Body
	}
	return nil
}

func (u *unit) String() string {
	if len(u.names) == 0 {
		return u.kind.String() + " ()"
	}
	return u.names[0]
}

// funcName is the name of a function, with the base type of its receiver in front.
func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	return receiver(d.Recv.List[0].Type) + "." + d.Name.Name
}

func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.ParenExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	}
	return fmt.Sprintf("%T", t)
}

func specNames(spec ast.Spec) []string {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		return []string{spec.Name.Name}
	case *ast.ValueSpec:
		names := make([]string, len(spec.Names))
		for i, n := range spec.Names {
			names[i] = n.Name
		}
		return names
	}
	return nil
}

func specDoc(spec ast.Spec) *ast.CommentGroup {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		return spec.Doc
	case *ast.ValueSpec:
		return spec.Doc
	}
	return nil
}

// ordered tells whether the members of a const group mean something else in another place.
func ordered(d *ast.GenDecl) bool {
	if d.Tok != token.CONST {
		return false
	}
	found := false
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec)
		if len(v.Values) == 0 {
			return true
		}
		for _, value := range v.Values {
			ast.Inspect(value, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && id.Name == "iota" {
					found = true
				}
				return !found
			})
		}
	}
	return found
}

// fingerprint is the same whether a spec stands in parentheses or not.
func (u *unit) fingerprint() string {
	if u.group != nil {
		return fingerprint(u.kind, u.code())
	}
	return fingerprint(token.ILLEGAL, u.code())
}
