package modtree

import (
	"path"
	"slices"
	"strings"
)

// pruner decides which files of a module builds and tests need. It knows no file by name; the rule is:
//
//   - go.mod and go.sum; licence and notice files of the root and of kept packages
//   - packages: folders with Go files that `./...` would find, with all that the go command compiles in them. Programs
//     in an `examples` folder are left out: nothing can import them.
//   - what a kept Go file embeds
//   - `testdata` folders at or above a kept package
//   - single files that a test names by a path relative to its package
//
// So documentation, websites, CI and code in other languages stay behind.
type pruner struct {
	files  map[string]bool         // every file of the module
	source map[string]*sourceFacts // of each Go file outside testdata
}

// prune returns the files to keep, sorted. read returns the content of one.
func prune(files []string, read func(string) ([]byte, error)) ([]string, error) {
	p := &pruner{files: make(map[string]bool), source: make(map[string]*sourceFacts)}
	packages := make(map[string]bool)
	for _, f := range files {
		p.files[f] = true
		if path.Ext(f) != ".go" || ignoredFolder(path.Dir(f)) {
			continue
		}
		content, err := read(f)
		if err != nil {
			return nil, err
		}
		facts := scanSource(content)
		if facts.pkg == "main" && inExamples(path.Dir(f)) {
			continue
		}
		p.source[f] = facts
		packages[path.Dir(f)] = true
	}

	above := make(map[string]bool) // packages and the folders that they lie in
	for dir := range packages {
		for above[dir] = true; dir != "."; above[dir] = true {
			dir = path.Dir(dir)
		}
	}
	keep := map[string]bool{"go.mod": p.files["go.mod"], "go.sum": p.files["go.sum"]}
	for _, f := range files {
		dir, name := path.Split(f)
		dir = path.Clean(dir)
		inPackage := packages[dir]
		switch {
		case inPackage && compiled[path.Ext(name)],
			(inPackage || dir == ".") && isLicence(name),
			above[testdataParent(f)]:
			keep[f] = true
		}
	}
	for f, facts := range p.source {
		for _, pattern := range facts.embeds {
			p.embedded(path.Dir(f), pattern, keep)
		}
		if !strings.HasSuffix(f, "_test.go") {
			continue
		}
		for _, name := range facts.strings {
			if named := path.Join(path.Dir(f), name); p.files[named] {
				keep[named] = true
			}
		}
	}

	var kept []string
	for f, ok := range keep {
		if ok {
			kept = append(kept, f)
		}
	}
	slices.Sort(kept)
	return kept, nil
}

// embedded keeps what a go:embed pattern in dir matches: files, and folders with all that is in them.
func (p *pruner) embedded(dir, pattern string, keep map[string]bool) {
	pattern = path.Join(dir, strings.TrimPrefix(pattern, "all:"))
	for f := range p.files {
		for at := f; at != "." && at != dir; at = path.Dir(at) {
			if ok, err := path.Match(pattern, at); err == nil && ok {
				keep[f] = true
			}
		}
	}
}

// compiled holds the file name extensions that the go command compiles or links.
var compiled = setOf(".go", ".s", ".S", ".sx", ".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".hxx",
	".f", ".F", ".for", ".f90", ".swig", ".swigcxx", ".syso")

// isLicence knows the usual names of files that must travel with the code.
func isLicence(name string) bool {
	name, _, _ = strings.Cut(strings.ToUpper(name), ".")
	return licenceNames[name]
}

var licenceNames = setOf("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "PATENTS")

func setOf(names ...string) map[string]bool {
	set := make(map[string]bool)
	for _, n := range names {
		set[n] = true
	}
	return set
}

// ignoredFolder tells whether `./...` passes the folder by.
func ignoredFolder(dir string) bool {
	for element := range strings.SplitSeq(dir, "/") {
		if element == "testdata" || element != "." && strings.HasPrefix(element, ".") || strings.HasPrefix(element, "_") {
			return true
		}
	}
	return false
}

func inExamples(dir string) bool {
	for element := range strings.SplitSeq(dir, "/") {
		if element == "examples" || element == "example" {
			return true
		}
	}
	return false
}

// testdataParent is the folder of the outermost testdata folder that the file is in; "" if it is in none.
func testdataParent(f string) string {
	before, _, ok := strings.Cut("/"+f, "/testdata/")
	if !ok {
		return ""
	}
	return path.Clean(strings.TrimPrefix(before, "/"))
}
