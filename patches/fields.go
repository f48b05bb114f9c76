package patches

import (
	"bytes"
	"go/ast"
)

// members returns the fields of a struct type or the methods of an interface type.
func members(spec *ast.TypeSpec) *ast.FieldList {
	switch t := spec.Type.(type) {
	case *ast.StructType:
		return t.Fields
	case *ast.InterfaceType:
		return t.Methods
	}
	return nil
}

// memberNames are the names that a field declares; an embedded one has the name of its type.
func memberNames(f *ast.Field) []string {
	if len(f.Names) == 0 {
		if sel, ok := f.Type.(*ast.SelectorExpr); ok {
			return []string{sel.Sel.Name}
		}
		if star, ok := f.Type.(*ast.StarExpr); ok {
			if sel, ok := star.X.(*ast.SelectorExpr); ok {
				return []string{sel.Sel.Name}
			}
		}
		return []string{receiver(f.Type)}
	}
	names := make([]string, len(f.Names))
	for i, n := range f.Names {
		names[i] = n.Name
	}
	return names
}

// member finds a field by its name.
func member(list *ast.FieldList, name string) *ast.Field {
	for _, f := range list.List {
		for _, n := range memberNames(f) {
			if n == name {
				return f
			}
		}
	}
	return nil
}

// apart tells whether a blank line stands above the first field: it is to set ours apart from upstream's.
func apart(s *source, list *ast.FieldList) bool {
	first := s.text[s.offset(list.Opening)+1 : s.offset(list.List[0].Pos())]
	line, rest, _ := bytes.Cut(first, []byte("\n"))
	next, _, more := bytes.Cut(rest, []byte("\n"))
	return more && len(bytes.TrimSpace(line)) == 0 && len(bytes.TrimSpace(next)) == 0
}

// spliceFields adds our fields to upstream's type.
func (e *edit) spliceFields(u *unit) (splice, *problem) {
	spec, ok := u.node.(*ast.TypeSpec)
	if !ok || members(spec) == nil {
		return splice{}, &problem{Drifted, "it is no struct or interface any more", "rewrite the edit for what upstream has now"}
	}
	list := members(spec)
	for _, f := range members(e.unit.node.(*ast.TypeSpec)).List {
		for _, n := range memberNames(f) {
			if member(list, n) != nil {
				return splice{}, &problem{Drifted, "it has " + n + " already", "drop the field from the patch, or rename it"}
			}
		}
	}
	if e.field != "" {
		f := member(list, e.field)
		if f == nil {
			return splice{}, &problem{Gone, "it has no field " + e.field, "choose another field to add ours after"}
		}
		at := u.src.tail(u.src.offset(f.End()))
		return splice{at, at, append([]byte{'\n'}, e.text...), e}, nil
	}
	closing := u.src.offset(list.Closing)
	at := lineStart(u.src.text, closing)
	text := append(bytes.Clone(e.text), '\n')
	if len(bytes.TrimSpace(u.src.text[at:closing])) > 0 { // the brace is not alone on its line
		at, text = closing, append([]byte{'\n'}, text...)
	}
	return splice{at, at, text, e}, nil
}
