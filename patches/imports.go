package patches

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// fixImports brings the imports of an edited file up to date: those of the patch files that the new text uses are added,
// and those that the old text used and the new text does not are removed. Other lines do not move.
func fixImports(before *source, after []byte, ours []*source, module string) ([]byte, error) {
	s, err := parseSource(before.path, after)
	if err != nil {
		return nil, err
	}
	usedBefore, usedAfter := usedPackages(before), usedPackages(s)
	var wanted, unused []*ast.ImportSpec
	for _, o := range ours {
		usedByPatch := usedPackages(o)
		for _, spec := range o.file.Imports {
			// An import that the patch file does not use either is there for its effects, or its name was guessed wrong.
			name := localName(spec)
			if !has(s.file.Imports, spec) && !has(wanted, spec) && (usedAfter[name] || !usedByPatch[name]) {
				wanted = append(wanted, spec)
			}
		}
	}
	for _, spec := range s.file.Imports {
		if name := localName(spec); usedBefore[name] && !usedAfter[name] {
			unused = append(unused, spec)
		}
	}
	if len(wanted) == 0 && len(unused) == 0 {
		return after, nil
	}
	return s.spliceImports(wanted, unused, module)
}

// usedPackages returns the names that stand before a dot and that nothing in the file declares. Since a package cannot declare
// what one of its files imports, those are the names of imported packages.
func usedPackages(s *source) map[string]bool {
	names := map[string]bool{}
	// Parsed again, since only here it matters what a name refers to.
	file, err := parser.ParseFile(token.NewFileSet(), s.path, s.text, 0)
	if err != nil { // such as a label that a statement of a patch file refers to
		file = s.file
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && id.Obj == nil {
				names[id.Name] = true
			}
		}
		return true
	})
	return names
}

// localName is the name by which a file refers to an import.
func localName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	return guessName(importPath(spec))
}

// importKey is the import as it is written.
func importKey(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name + " " + spec.Path.Value
	}
	return spec.Path.Value
}

func has(list []*ast.ImportSpec, spec *ast.ImportSpec) bool {
	return slices.ContainsFunc(list, func(s *ast.ImportSpec) bool {
		return s.Path.Value == spec.Path.Value && localName(s) == localName(spec)
	})
}

func (s *source) spliceImports(wanted, unused []*ast.ImportSpec, module string) ([]byte, error) {
	imports := &edit{name: "the imports"}
	block := s.importBlock()
	var list []splice
	for _, d := range s.imports() {
		list = append(list, s.pruneImports(d, unused, d == block && len(wanted) > 0, imports)...)
	}
	slices.SortFunc(wanted, func(a, b *ast.ImportSpec) int { return strings.Compare(importPath(a), importPath(b)) })
	if block == nil {
		list = append(list, s.newImports(wanted, unused, imports)...)
	} else {
		for _, spec := range wanted {
			at, text := s.placeImport(block, spec, unused, module)
			list = append(list, splice{at, at, []byte(text), imports})
		}
	}
	out, _, err := splices(s.text, list)
	return out, err
}

// importBlock is the parenthesised import declaration that additions go to.
func (s *source) importBlock() *ast.GenDecl {
	for _, d := range s.imports() {
		if d.Lparen.IsValid() && len(d.Specs) > 0 && importPath(d.Specs[0].(*ast.ImportSpec)) != "C" {
			return d
		}
	}
	return nil
}

// pruneImports removes the unused specs of one declaration, and the declaration if none is left and it is not kept.
func (s *source) pruneImports(d *ast.GenDecl, unused []*ast.ImportSpec, kept bool, why *edit) []splice {
	var gone []*ast.ImportSpec
	for _, spec := range d.Specs {
		if spec := spec.(*ast.ImportSpec); slices.Contains(unused, spec) {
			gone = append(gone, spec)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	if len(gone) == len(d.Specs) && !kept {
		start, end := s.offset(d.Pos()), s.tail(s.offset(d.End()))
		if d.Doc != nil {
			start = s.offset(d.Doc.Pos())
		}
		return []splice{{lead(s.text, start), end, nil, why}}
	}
	var list []splice
	for _, spec := range gone {
		start, end := s.importRange(spec)
		list = append(list, splice{lineStart(s.text, start), end + 1, nil, why})
	}
	return list
}

func (s *source) importRange(spec *ast.ImportSpec) (start, end int) {
	start = s.offset(spec.Pos())
	if spec.Doc != nil {
		start = s.offset(spec.Doc.Pos())
	}
	return start, s.tail(s.offset(spec.End()))
}

// placeImport finds the line in the block where an import belongs: its own kind of group, in order.
func (s *source) placeImport(block *ast.GenDecl, spec *ast.ImportSpec, unused []*ast.ImportSpec, module string) (int, string) {
	line := "\t" + importKey(spec) + "\n"
	best, score := []*ast.ImportSpec(nil), -1
	for _, g := range s.importGroups(block) {
		n := 0
		for _, other := range g {
			if !slices.Contains(unused, other) || len(g) == 1 {
				n = max(n, affinity(importPath(spec), importPath(other), module))
			}
		}
		if n > score {
			best, score = g, n
		}
	}
	if score == 0 { // no group of its kind: standard library first, all else last
		if standard(importPath(spec)) {
			start, _ := s.importRange(block.Specs[0].(*ast.ImportSpec))
			return lineStart(s.text, start), line + "\n"
		}
		return lineStart(s.text, s.offset(block.Rparen)), "\n" + line
	}
	for _, other := range best {
		if importPath(other) > importPath(spec) {
			start, _ := s.importRange(other)
			return lineStart(s.text, start), line
		}
	}
	_, end := s.importRange(best[len(best)-1])
	return end + 1, line
}

// importGroups splits a block at its blank lines.
func (s *source) importGroups(block *ast.GenDecl) [][]*ast.ImportSpec {
	var groups [][]*ast.ImportSpec
	last := 0
	for i, spec := range block.Specs {
		start, end := s.importRange(spec.(*ast.ImportSpec))
		if i == 0 || bytes.Count(s.text[last:start], []byte("\n")) > 1 {
			groups = append(groups, nil)
		}
		n := len(groups) - 1
		groups[n] = append(groups[n], spec.(*ast.ImportSpec))
		last = end
	}
	return groups
}

// affinity ranks how well two imports go together: 0 for different kinds.
func affinity(a, b, module string) int {
	if standard(a) != standard(b) {
		return 0
	}
	if inModule(a, module) == inModule(b, module) {
		return 2
	}
	return 1
}

// standard tells a standard library path by the missing dot in its first element.
func standard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

func inModule(importPath, module string) bool {
	return module != "" && (importPath == module || strings.HasPrefix(importPath, module+"/"))
}

// newImports writes a first import block. Imports that stand alone become part of it, unless they carry comments.
func (s *source) newImports(wanted, unused []*ast.ImportSpec, why *edit) []splice {
	if len(wanted) == 0 {
		return nil
	}
	at := s.head()
	var list []splice
	for _, d := range s.imports() {
		if len(d.Specs) == 0 {
			continue
		}
		spec := d.Specs[0].(*ast.ImportSpec)
		start, end := s.offset(d.Pos()), s.offset(d.End())
		if slices.Contains(unused, spec) || d.Doc != nil || s.tail(end) > end || importPath(spec) == "C" {
			continue
		}
		list = append(list, splice{lead(s.text, start), end, nil, why})
		wanted = append(wanted, spec)
	}
	text := "\n\nimport " + importKey(wanted[0])
	if len(wanted) > 1 {
		text = "\n\nimport (\n" + importLines(wanted) + ")"
	}
	return append(list, splice{at, at, []byte(text), why})
}

// importLines lists imports, the standard library first.
func importLines(list []*ast.ImportSpec) string {
	slices.SortFunc(list, func(a, b *ast.ImportSpec) int { return strings.Compare(importPath(a), importPath(b)) })
	var library, others string
	for _, spec := range list {
		if standard(importPath(spec)) {
			library += "\t" + importKey(spec) + "\n"
		} else {
			others += "\t" + importKey(spec) + "\n"
		}
	}
	if library != "" && others != "" {
		library += "\n"
	}
	return library + others
}
