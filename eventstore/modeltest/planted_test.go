package modeltest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inModel are the tests that are here; the others are beside eventstore.
var inModel = []string{byModel, byLinear, byPump}

// TestPlantedFaults builds eventstore and its tests with one fault at a time laid over the files, and wants each test that is
// named with the fault to fail.
func TestPlantedFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the tests once a fault; run without -short")
	}
	foundBy, planted := map[string]int{}, 0
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			planted++
			overlay := f.overlay(t)
			programs := map[string]string{}
			for _, test := range f.found {
				pkg := ".."
				if slices.Contains(inModel, test) {
					pkg = "."
				}
				if programs[pkg] == "" {
					programs[pkg] = buildTest(t, pkg, overlay)
				}
				if failsIn(t, programs[pkg], test) {
					foundBy[test]++
				}
			}
		})
	}
	for _, kind := range []string{byModel, byLinear, byFuzz, byPump} {
		if foundBy[kind] == 0 && planted == len(faults) {
			t.Errorf("%s found no fault", kind)
		}
	}
	t.Logf("%d faults were planted; found by test: %v", planted, foundBy)
}

// overlay writes the files with the fault in them and the file that has the go command read those instead, and returns its
// name.
func (f fault) overlay(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for _, e := range f.edits {
		original, err := filepath.Abs(filepath.Join("..", e.file))
		if err != nil {
			t.Fatal(err)
		}
		faulty := replace[original]
		if faulty == "" {
			faulty = filepath.Join(dir, e.file)
			write(t, faulty, read(t, original))
			replace[original] = faulty
		}
		text := read(t, faulty)
		if n := strings.Count(text, e.old); n != 1 {
			t.Fatalf("%s has this text %d times, want once; plant the fault where the code is now:\n%s", e.file, n, e.old)
		}
		write(t, faulty, strings.Replace(text, e.old, e.new, 1))
	}
	content, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "overlay.json")
	write(t, name, string(content))
	return name
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// buildTest compiles the tests of a package. A fault that does not compile is found by the compiler, and shows nothing.
func buildTest(t *testing.T, pkg, overlay string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "tests")
	build := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-o", program, pkg)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go test -c %s: %v\n%s", pkg, err, out)
	}
	return program
}

// failsIn runs one test of a program, for as long as a test of a wrong program may take, and says whether it failed.
func failsIn(t *testing.T, program, test string) bool {
	t.Helper()
	args := []string{"-test.run=^" + test + "$", "-test.timeout=30s"}
	if slices.Contains(inModel, test) {
		args = append(args, "-rapid.nofailfile", "-rapid.shrinktime=0s", "-rapid.seed=1", "-rapid.checks=200")
	}
	run := exec.Command(program, args...)
	run.Dir = t.TempDir()
	out, err := run.CombinedOutput()
	switch {
	case err == nil && !strings.HasSuffix(string(out), "PASS\n"):
		t.Errorf("%s did not run: %s", test, out)
	case err == nil:
		t.Errorf("%s does not find it", test)
	case !strings.Contains(string(out), "FAIL: "+test) && !strings.Contains(string(out), "panic: ") && !strings.Contains(string(out), "fatal error: "):
		t.Errorf("%s failed in another way: %v\n%s", test, err, out)
	}
	return err != nil
}
