package fork_test

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/offlock/offlock/internal/fork"
	"github.com/offlock/offlock/internal/modtree"
	"github.com/offlock/offlock/patches"
)

// holdsBefore lists the tests of patches that pass without their patch too, with the bases where that is so: what they
// check was right before, and the patch must not break it. Every other test has to fail without its patch.
var holdsBefore = map[string][]string{
	"TestEventStore_OneExportAtATimeForAConsumer":     {"v1.52.1"},            // one mutex kept everything apart
	"TestFile_TemplateForNothing":                     {"v1.52.1", "v1.55.2"}, // every failure was the exporter's
	"TestManager_ForeignConsumerIsFlushedInTheCaller": {"v1.52.1", "v1.55.2"}, // its flushes are none of ours
	"TestManager_StopInAnyOrder":                      {"v1.55.2"},            // v1.52.1 panics when Stop is called twice
}

// needsPatch lists the test files that use what their patch adds: without it they do not compile, which proves nothing.
// They are run with it alone.
var needsPatch = []string{
	"exporter/append_test.go",
	"exporter/attempt_test.go",
	"exporter/delivery_test.go",
	"exporter/fileexporter/export_to_test.go",
	"exporter/pump_stats_test.go",
	"exporter/refused_test.go",
	"exporter_stats_test.go",
}

// TestSeriesProof runs the tests that each patch brings along, on every recorded base, under the race detector: on the
// tree with the patches before it, where they have to fail, and on the tree with the patch, where they have to pass.
func TestSeriesProof(t *testing.T) {
	for _, s := range stagings(t) {
		t.Run(s.fork.Base.Version, func(t *testing.T) {
			t.Parallel()
			s.write(t)
			s.rewind(t)
			s.prove(t)
		})
	}
}

// TestSeriesReplacedTests holds the promise of PATCH.md: no test, of upstream or of an earlier patch, is changed but those
// that it names.
func TestSeriesReplacedTests(t *testing.T) {
	for _, s := range stagings(t) {
		t.Run(s.fork.Base.Version, func(t *testing.T) {
			for _, report := range s.applied() {
				var changed []string
				for _, c := range report.Changes {
					if c.Before != nil && strings.HasSuffix(c.Path, "_test.go") {
						changed = append(changed, changedFuncs(t, c)...)
					}
				}
				want := slices.Sorted(slices.Values(report.Patch.ReplacesTests))
				slices.Sort(changed)
				if diff := cmp.Diff(want, changed); diff != "" {
					t.Errorf("%s: functions of test files that changed (-PATCH.md +patch):\n%s",
						report.Patch.Name, diff)
				}
				for _, name := range want {
					if !strings.Contains(report.Patch.Text, name) {
						t.Errorf("%s: PATCH.md gives no reason for replacing %s", report.Patch.Name, name)
					}
				}
			}
		})
	}
}

// staging is the folder in which the patches of one base are put on, one after the other.
type staging struct {
	fork *fork.Fork
	dir  string
}

func stagings(t *testing.T) []*staging {
	t.Helper()
	if testing.Short() {
		t.Skip("reads upstream's sources and runs their tests, which takes a download; run without -short")
	}
	forks, err := recordedForks()
	if err != nil {
		t.Fatal(err)
	}
	if len(forks) == 0 {
		t.Fatal("no base is recorded; go run ./patches/author record VERSION")
	}
	var all []*staging
	for _, f := range forks {
		all = append(all, &staging{fork: f, dir: filepath.Join(t.TempDir(), "fork")})
	}
	return all
}

// recordedForks builds the whole fork of each recorded base, once for all tests.
var recordedForks = sync.OnceValues(func() ([]*fork.Fork, error) {
	series, err := patches.Embedded()
	if err != nil {
		return nil, err
	}
	var forks []*fork.Fork
	for _, base := range series.Bases() {
		f, err := fork.Build(context.Background(), series, base.Version, modtree.Hashes{}, patches.Selection{})
		if err != nil {
			return nil, err
		}
		forks = append(forks, f)
	}
	return forks, nil
})

// applied returns the patches that are part of the fork, in order.
func (s *staging) applied() []patches.Report {
	return slices.DeleteFunc(slices.Clone(s.fork.Result.Reports),
		func(r patches.Report) bool { return !r.State.Applies() })
}

// write writes the whole fork.
func (s *staging) write(t *testing.T) {
	t.Helper()
	swap, err := s.fork.Tree.Write(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := swap.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := swap.Done(); err != nil {
		t.Fatal(err)
	}
}

// rewind takes every patch off again.
func (s *staging) rewind(t *testing.T) {
	t.Helper()
	for _, report := range slices.Backward(s.applied()) {
		for _, c := range report.Changes {
			s.put(t, c.Path, c.Before)
		}
	}
}

func (s *staging) put(t *testing.T, name string, content []byte) {
	t.Helper()
	file := filepath.Join(s.dir, filepath.FromSlash(name))
	var err error
	if content == nil {
		err = os.Remove(file)
	} else if err = os.MkdirAll(filepath.Dir(file), 0o755); err == nil {
		err = os.WriteFile(file, content, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// prove goes from the base to the fork, patch by patch. On each way station it runs the tests of the patch that was put on
// last, which have to pass, and those of the next one, which have to fail. Compiling and linking takes nearly all the time,
// so both are in the same test programs; they run apart, so that what fails cannot take along what passes.
func (s *staging) prove(t *testing.T) {
	var last *patches.Report
	var lastTests byPackage
	for _, report := range s.applied() {
		before, all := s.putTests(t, report)
		s.station(t, last, lastTests, &report, before)
		for _, c := range report.Changes {
			s.put(t, c.Path, c.After)
		}
		last, lastTests = &report, all
	}
	s.station(t, last, lastTests, nil, nil)
}

// putTests adds the test files that a patch brings along, but for those that need it. It lists the tests in these and in all.
// What the patch copies has its tests where it comes from.
func (s *staging) putTests(t *testing.T, report patches.Report) (before, all byPackage) {
	t.Helper()
	before, all = byPackage{}, byPackage{}
	for _, c := range report.Changes {
		if c.Before != nil || !strings.HasSuffix(c.Path, "_test.go") || copied(report.Patch, c.Path) {
			continue
		}
		pkg := "./" + path.Dir(c.Path)
		all[pkg] = append(all[pkg], testFuncs(t, c)...)
		if !slices.Contains(needsPatch, c.Path) {
			before[pkg] = append(before[pkg], testFuncs(t, c)...)
			s.put(t, c.Path, c.After)
		}
	}
	if len(before) == 0 {
		t.Errorf("%s brings no test along that can fail without it", report.Patch.Name)
	}
	return before, all
}

// copied tells whether a patch takes a file from a folder of this module.
func copied(p *patches.Patch, name string) bool {
	return slices.ContainsFunc(p.Copies, func(c patches.Copy) bool { return path.Dir(name) == c.To })
}

// station runs tests on the tree as it is; nil stands for no patch.
func (s *staging) station(t *testing.T, last *patches.Report, lastTests byPackage, next *patches.Report, nextTests byPackage) {
	name := "base"
	if last != nil {
		name = last.Patch.Name
	}
	t.Run(name, func(t *testing.T) {
		both := maps.Clone(nextTests)
		if both == nil {
			both = byPackage{}
		}
		maps.Copy(both, lastTests)
		programs := t.TempDir()
		if err := buildTests(t.Context(), s.dir, programs, slices.Sorted(maps.Keys(both))); err != nil {
			t.Fatal(err)
		}
		if last != nil {
			t.Run("with", func(t *testing.T) {
				t.Parallel()
				s.expect(t, programs, lastTests, func(string) string { return "pass" })
			})
		}
		if next != nil {
			t.Run("without "+next.Patch.Name, func(t *testing.T) {
				t.Parallel()
				s.expect(t, programs, nextTests, func(test string) string {
					if slices.Contains(holdsBefore[test], s.fork.Base.Version) {
						return "pass"
					}
					return "fail"
				})
			})
		}
	})
}

func (s *staging) expect(t *testing.T, programs string, tests byPackage, want func(test string) string) {
	t.Helper()
	results, output, err := runTests(t.Context(), s.dir, programs, tests)
	t.Log(output)
	if err != nil {
		t.Fatal(err)
	}
	for name, result := range results {
		if want := want(testName(name)); result != want {
			t.Errorf("%s has the result %q, want %q", name, result, want)
		}
	}
}

// testName cuts the package off "./exporter.TestName".
func testName(name string) string { return name[strings.LastIndex(name, ".")+1:] }

// testFuncs returns the tests of a new file.
func testFuncs(t *testing.T, c patches.Change) []string {
	t.Helper()
	var names []string
	for name := range funcs(t, c.Path, c.After) {
		if strings.HasPrefix(name, "Test") {
			names = append(names, name)
		}
	}
	return names
}

// changedFuncs returns the functions of a file that are not what they were.
func changedFuncs(t *testing.T, c patches.Change) []string {
	t.Helper()
	before, after := funcs(t, c.Path, c.Before), funcs(t, c.Path, c.After)
	var names []string
	for name, text := range after {
		if before[name] != text {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}

// funcs returns the text of the functions of a file, methods left out, by name.
func funcs(t *testing.T, name string, src []byte) map[string]string {
	t.Helper()
	found := map[string]string{}
	if src == nil { // the file was deleted
		return found
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, bytes.Clone(src), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
			found[fn.Name.Name] = string(src[fset.Position(fn.Pos()).Offset:fset.Position(fn.End()).Offset])
		}
	}
	return found
}
