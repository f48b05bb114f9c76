package patches

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"path"
	"strings"
)

// loader type-checks upstream's own packages. Everything outside the module is faked, see outside.
type loader struct {
	tree   *tree
	module string
	fset   *token.FileSet
	edited map[string][]byte // takes the place of the tree's text
	done   map[string]*types.Package
}

// Import returns a package of the module without its function bodies.
func (l *loader) Import(importPath string) (*types.Package, error) {
	if pkg := l.done[importPath]; pkg != nil {
		return pkg, nil
	}
	pkg, _ := outside{}.Import(importPath)
	l.done[importPath] = pkg // in place while it is loaded, so that a cycle ends
	if !inModule(importPath, l.module) {
		return pkg, nil
	}
	dir := strings.TrimPrefix(strings.TrimPrefix(importPath, l.module), "/")
	files, err := l.parse(path.Clean(dir), nil)
	if err != nil {
		return nil, err
	}
	if len(files) > 0 {
		l.done[importPath], _ = check(importPath, l.fset, files, l, false)
	}
	return l.done[importPath], nil
}

// parse parses the files of a folder that are built on a common platform, without tests, and those that are asked for.
func (l *loader) parse(dir string, always map[string]bool) ([]*ast.File, error) {
	sources, err := l.tree.dir(dir)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, s := range sources {
		if strings.HasSuffix(s.path, "_test.go") || !always[s.path] && !l.built(s) {
			continue
		}
		text := s.text
		if edited, ok := l.edited[s.path]; ok {
			text = edited
		}
		f, err := parser.ParseFile(l.fset, s.path, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// built evaluates build constraints for one fixed platform, so that a record does not depend on where it is made.
func (l *loader) built(s *source) bool {
	platform := build.Context{GOOS: "linux", GOARCH: "amd64", Compiler: "gc", CgoEnabled: true,
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(s.text)), nil },
	}
	ok, err := platform.MatchFile(path.Dir(s.path), path.Base(s.path))
	return ok && err == nil
}

// leans lists the declarations of the module that the patch's own code uses: functions, methods, types and the struct types
// of the fields that it reads. Tests are left out, since no fork that a service builds contains them.
func (a *application) leans() ([]touch, error) {
	ours := map[string][]region{} // by file, as offsets
	l := &loader{tree: a.tree, module: a.module, fset: token.NewFileSet(),
		edited: map[string][]byte{}, done: map[string]*types.Package{}}
	for name, t := range a.targets {
		l.edited[name] = t.text
		for _, r := range t.regions {
			ours[name] = append(ours[name], region{len(t.text) - r.start, len(t.text) - r.end})
		}
	}
	for name, text := range a.writes {
		if _, edited := ours[name]; !edited && text != nil && strings.HasSuffix(name, ".go") {
			ours[name] = []region{{0, len(text)}}
		}
	}
	always := map[string]map[string]bool{}
	for name := range ours {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		dir := path.Dir(name)
		if always[dir] == nil {
			always[dir] = map[string]bool{}
		}
		always[dir][name] = true
	}
	var found []touch
	for dir, files := range always {
		list, err := l.uses(dir, files, ours)
		if err != nil {
			return nil, err
		}
		found = append(found, list...)
	}
	return found, nil
}

// uses collects the declarations that our regions of one folder's files use.
func (l *loader) uses(dir string, always map[string]bool, ours map[string][]region) ([]touch, error) {
	files, err := l.parse(dir, always)
	if err != nil {
		return nil, err
	}
	names := &names{loader: l}
	names.pkg, names.info = check(path.Join(l.module, dir), l.fset, files, l, true)
	seen := map[*unit]bool{}
	var list []touch
	for _, file := range files {
		ranges := ours[l.fset.File(file.FileStart).Name()]
		var failed error
		names.each(file, func(id *ast.Ident, obj types.Object) {
			if failed != nil || obj.Pos() == token.NoPos || !contains(ranges, l.fset.File(id.Pos()).Offset(id.Pos())) {
				return
			}
			var u, user *unit
			if u, failed = l.declaration(obj.Pos()); failed == nil {
				user, failed = l.declaration(id.Pos())
			}
			if failed == nil && u != nil && u != user && !seen[u] {
				seen[u] = true
				list = append(list, touch{scope: u.src.scope(), name: u.String(), path: u.src.path})
			}
		})
		if failed != nil {
			return nil, failed
		}
	}
	return list, nil
}

// names tells what the names in a package stand for.
type names struct {
	loader *loader
	pkg    *types.Package
	info   *types.Info
}

// each calls f for every name that stands for something known. The type checker leaves out code inside of what it does not
// know, such as a function literal in a literal of an outside type; there, a name that the package declares is taken for that.
func (n *names) each(file *ast.File, f func(*ast.Ident, types.Object)) {
	field := map[*ast.Ident]bool{} // keys of literals that are not known to be anything else
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.KeyValueExpr:
			if id, ok := node.Key.(*ast.Ident); ok && n.info.Uses[id] == nil {
				field[id] = true
			}
		case *ast.SelectorExpr:
			if obj := n.member(file, node); obj != nil {
				f(node.Sel, obj)
			}
			if id, ok := node.X.(*ast.Ident); ok {
				if obj := n.object(id); obj != nil {
					f(id, obj)
				}
				return false
			}
		case *ast.Ident:
			if obj := n.object(node); obj != nil && !field[node] {
				f(node, obj)
			}
		}
		return true
	})
}

func (n *names) object(id *ast.Ident) types.Object {
	if obj := n.info.Uses[id]; obj != nil {
		return obj
	}
	if _, defined := n.info.Defs[id]; defined {
		return nil
	}
	return n.pkg.Scope().Lookup(id.Name)
}

func (n *names) member(file *ast.File, sel *ast.SelectorExpr) types.Object {
	if obj := n.info.Uses[sel.Sel]; obj != nil {
		return obj
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return nil
	}
	for _, spec := range file.Imports {
		if localName(spec) == id.Name {
			if pkg := n.loader.done[importPath(spec)]; pkg != nil {
				return pkg.Scope().Lookup(sel.Sel.Name)
			}
		}
	}
	return nil
}

func contains(regions []region, offset int) bool {
	for _, r := range regions {
		if r.start <= offset && offset < r.end {
			return true
		}
	}
	return false
}

// declaration finds the declaration around a position; nil for an import or a package clause.
func (l *loader) declaration(p token.Pos) (*unit, error) {
	file := l.fset.File(p)
	s, err := l.source(file.Name())
	if err != nil {
		return nil, err
	}
	offset := file.Offset(p)
	for _, u := range s.units {
		if u.pos <= offset && offset < u.end {
			return u, nil
		}
	}
	return nil, nil
}

func (l *loader) source(name string) (*source, error) {
	text, ok := l.edited[name]
	if !ok {
		return l.tree.source(name)
	}
	key := "edited " + name
	if s, ok := l.tree.parsed[key]; ok && bytes.Equal(s.text, text) {
		return s, nil
	}
	s, err := parseSource(name, text)
	if err == nil {
		l.tree.parsed[key] = s
	}
	return s, err
}
