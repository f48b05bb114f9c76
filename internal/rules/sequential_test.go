package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// CI leaves some packages out of the step with the race detector, because they start no goroutine. They must not start to.
func TestSequentialPackages(t *testing.T) {
	list := regexp.MustCompile(`(?m)^sequential='([^']+)'$`).FindStringSubmatch(read(t, "../../.ci/run"))
	if list == nil {
		t.Fatal(".ci/run has no list of sequential packages")
	}
	for _, name := range strings.Fields(list[1]) {
		files, err := filepath.Glob(filepath.Join("../..", name, "*.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s is in the list and holds no code: %v", name, err)
		}
		for _, file := range files {
			for _, found := range concurrency(t, file, read(t, file)) {
				t.Errorf("%s: take %s off the list in .ci/run", found, name)
			}
		}
	}
}

func TestConcurrency(t *testing.T) {
	for source, want := range map[string]int{
		"import \"strings\"\nfunc f() { defer f() }":    0,
		"func f() { go f() }":                           1,
		"func f() { func() { go func() { f() }() }() }": 1,
		"import \"sync/atomic\"":                        1,
		"import \"golang.org/x/sync/errgroup\"":         1,
	} {
		if got := concurrency(t, "x.go", "package x\n"+source); len(got) != want {
			t.Errorf("%s: %q, want %d places", source, got, want)
		}
	}
	if got := concurrency(t, "x_test.go", "package x\nimport \"sync\""); len(got) != 0 {
		t.Errorf("a test may compute something once: %q", got)
	}
}

// concurrency lists the places of a file where a goroutine starts, and the imports that are of use only among several.
// Tests may import sync: t.Parallel makes goroutines of them, which share what is computed once.
func concurrency(t *testing.T, name, source string) []string {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = append(found, fset.Position(n.Pos()).String()+" starts a goroutine")
		case *ast.ImportSpec:
			path := strings.Trim(n.Path.Value, `"`)
			shared := path == "sync" || path == "sync/atomic" || strings.HasPrefix(path, "golang.org/x/sync")
			if shared && !strings.HasSuffix(name, "_test.go") {
				found = append(found, fset.Position(n.Pos()).String()+" imports "+path)
			}
		}
		return true
	})
	return found
}
