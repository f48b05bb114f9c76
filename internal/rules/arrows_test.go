package rules

import (
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const (
	module   = "github.com/offlock/offlock"
	upstream = "github.com/thomaspoignant/go-feature-flag"
)

// arrows lists, for each package (or folder of packages, with a trailing slash), what its code may import beside the
// standard library: our own packages by their path below the module, others by their module path.
// Tests may import more; what a service imports is the code.
var arrows = map[string][]string{
	"cmd/offlock": {
		"regress", "regress/bench", "internal/adopt", "internal/fork", "patches", "internal/modtree",
		"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term", "github.com/rogpeppe/go-internal",
	},
	"eventstore":               {},
	"eventstore/modeltest":     {"eventstore"},
	"exporter":                 {"eventstore", upstream},
	"exporter/encode":          {"exporter/encode/jsonline", upstream, "github.com/parquet-go/parquet-go"},
	"exporter/encode/jsonline": {},
	"exporter/s3": {
		"eventstore", "exporter", "exporter/encode", upstream,
		"github.com/aws/aws-sdk-go-v2", "github.com/aws/smithy-go", "github.com/klauspost/compress",
	},
	"exporter/s3/s3test": {},
	"exporter/spool":     {"eventstore", "exporter", upstream, "github.com/gofrs/flock"},
	"regress": {
		"internal/fork", "patches", "internal/modtree", "internal/gocmd", "github.com/HdrHistogram/hdrhistogram-go",
	},
	"regress/bench":                {"regress", "golang.org/x/perf"},
	"internal/adopt":               {"internal/gocmd", "internal/modtree", "golang.org/x/mod"},
	"internal/fork":                {"patches", "internal/modtree"},
	"internal/gocmd":               {},
	"internal/modtree":             {"internal/gocmd", "golang.org/x/mod"},
	"internal/modtree/modtreetest": {"internal/modtree", "golang.org/x/mod"},
	"patches":                      {"eventstore", "exporter/encode/jsonline", "golang.org/x/mod", "github.com/rogpeppe/go-internal"},
	"patches/author":               {"patches", "internal/fork", "internal/modtree"},
	"internal/rules":               {},
}

type goPackage struct {
	ImportPath string
	Imports    []string
	Module     struct{ Path string }
	Standard   bool
}

func TestArrows(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		seen[name] = true
		allowed, known := arrows[name]
		if !known {
			t.Errorf("package %s is not in the list of arrows: add it to arrows_test.go and to the package map of the README", name)
			continue
		}
		for _, imported := range p.Imports {
			if !mayImport(allowed, imported) {
				t.Errorf("%s imports %s, which its arrows do not allow: %v", name, imported, allowed)
			}
		}
	}
	for name := range arrows {
		if !seen[name] {
			t.Errorf("the list of arrows names %s, which does not exist", name)
		}
	}
}

func TestMayImport(t *testing.T) {
	allowed := []string{"patches", "golang.org/x/mod"}
	for path, want := range map[string]bool{
		"strings":                         true,
		"golang.org/x/mod/modfile":        true,
		"golang.org/x/modern":             false,
		module + "/patches":               true,
		module + "/patches/author":        false,
		module + "/internal/modtree":      false,
		"github.com/google/go-cmp/cmp":    false,
		"github.com/thomaspoignant/x/mod": false,
	} {
		if got := mayImport(allowed, path); got != want {
			t.Errorf("mayImport(%s) = %v, want %v", path, got, want)
		}
	}
}

func mayImport(allowed []string, path string) bool {
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
		return true // the standard library
	}
	if own, is := strings.CutPrefix(path, module+"/"); is {
		return slices.Contains(allowed, own)
	}
	return slices.ContainsFunc(allowed, func(prefix string) bool {
		return path == prefix || strings.HasPrefix(path, prefix+"/")
	})
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	list := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []goPackage
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p goPackage
		if err := decoder.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		packages = append(packages, p)
	}
	if len(packages) == 0 {
		t.Fatal("go list found no package")
	}
	return packages
}
