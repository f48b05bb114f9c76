package patches

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// outside imports everything as an empty package. Types from there stay unknown, which is all right where only names are
// looked up, and keeps the answer independent of module cache and Go release.
type outside struct{}

func (outside) Import(importPath string) (*types.Package, error) {
	pkg := types.NewPackage(importPath, guessName(importPath))
	pkg.MarkComplete()
	return pkg, nil
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// guessName is the name that a package of this path most likely has.
func guessName(importPath string) string {
	name := path.Base(importPath)
	if majorVersion.MatchString(name) && path.Dir(importPath) != "." {
		name = path.Base(path.Dir(importPath))
	}
	if base, version, ok := strings.Cut(name, "."); ok && majorVersion.MatchString(version) { // gopkg.in/yaml.v3
		name = base
	}
	return strings.TrimSuffix(strings.TrimPrefix(name, "go-"), "-go")
}

// check type-checks as far as it can and returns what the names in the files stand for.
func check(importPath string, fset *token.FileSet, files []*ast.File, imp types.Importer, bodies bool) (*types.Package, *types.Info) {
	info := &types.Info{
		Defs:      map[*ast.Ident]types.Object{},
		Uses:      map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{},
	}
	config := types.Config{
		Importer:         imp,
		Error:            func(error) {}, // what is outside is unknown, so there are always some
		IgnoreFuncBodies: !bodies,
		FakeImportC:      true,
	}
	pkg, _ := config.Check(importPath, fset, files, info) // see Error
	return pkg, info
}

func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return p
}
