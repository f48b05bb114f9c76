package fork_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/offlock/offlock/internal/modtree"
)

// byPackage lists tests by their package, as "./exporter".
type byPackage map[string][]string

// buildTests compiles the test programs of packages of the module in dir, with the race detector, into the folder programs.
// Code that does not build is an error, not a failed test: it proves nothing.
//
// Paths are trimmed, so that packages compiled in one temporary folder are found in the build cache from the next one. Debug
// information and vet would take about as long as all the rest.
func buildTests(ctx context.Context, dir, programs string, packages []string) error {
	args := []string{"test", "-c", "-race", "-trimpath", "-ldflags=-s -w", "-vet=off", "-o", programs + string(filepath.Separator)}
	if _, output, err := inModule(ctx, dir, "go", append(args, packages...)...); err != nil {
		return fmt.Errorf("does not build: %w\n%s", err, output)
	}
	return nil
}

// runTests runs the named tests of packages of the module in dir, with the programs that buildTests made. It returns what
// became of each, "./exporter.TestName" to pass, fail, skip, or nothing if its program ended before it, and what the programs
// printed.
func runTests(ctx context.Context, dir, programs string, tests byPackage) (map[string]string, string, error) {
	test2json, err := findTest2json()
	if err != nil {
		return nil, "", err
	}
	results := map[string]string{}
	var output strings.Builder
	for pkg, names := range tests {
		for _, name := range names {
			results[pkg+"."+name] = ""
		}
		// The tests of a patch wait for something that never comes where the patch is missing; they can do that together.
		stdout, stderr, err := inModule(ctx, filepath.Join(dir, filepath.FromSlash(pkg)), test2json,
			filepath.Join(programs, path.Base(path.Join(modtree.UpstreamPath, pkg))+".test"),
			"-test.v=test2json", "-test.paniconexit0", "-test.timeout=3m", "-test.parallel=32", "-test.run=^("+strings.Join(names, "|")+")$")
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			return nil, output.String(), err
		}
		for decoder := json.NewDecoder(bytes.NewReader(stdout)); ; {
			var event struct{ Action, Test, Output string }
			if err := decoder.Decode(&event); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, output.String(), fmt.Errorf("reading the output of %s: %w", pkg, err)
			}
			output.WriteString(event.Output)
			if name := pkg + "." + event.Test; slices.Contains(names, event.Test) && slices.Contains([]string{"pass", "fail", "skip"}, event.Action) {
				results[name] = event.Action
			}
		}
		output.Write(stderr)
	}
	return results, output.String(), nil
}

// findTest2json asks for the program once: started by `go tool`, it would cost a look at all that upstream requires each time.
var findTest2json = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "tool", "-n", "test2json").Output()
	return strings.TrimSpace(string(out)), err
})

// inModule runs a program in a folder of a module, whatever the user's settings for other modules are.
func inModule(ctx context.Context, dir, name string, args ...string) (stdout, stderr []byte, err error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.Bytes(), errs.Bytes(), err
}

// TestRunTests checks the judge itself.
func TestRunTests(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module " + modtree.UpstreamPath + "\n\ngo 1.25\n",
		"good/good_test.go": `package good
			import "testing"
			func TestPasses(t *testing.T) { t.Run("sub", func(t *testing.T) {}) }
			func TestFails(t *testing.T)  { t.Run("sub", func(t *testing.T) { t.Fail() }) }
			func TestSkips(t *testing.T)  { t.Skip() }
			func TestOther(t *testing.T)  { t.Fail() }`,
		"broken/broken_test.go": `package broken
			import "testing"
			func TestFails(t *testing.T) { undeclared() }`,
		"exits/exits_test.go": `package exits
			import ("os"; "testing")
			func TestExits(t *testing.T) { os.Exit(1) }
			func TestLater(t *testing.T) {}`,
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name    string
		tests   byPackage
		want    map[string]string
		wantErr string
	}{
		{
			name:  "results",
			tests: byPackage{"./good": {"TestPasses", "TestFails", "TestSkips", "TestMissing"}},
			want: map[string]string{"./good.TestPasses": "pass", "./good.TestFails": "fail", "./good.TestSkips": "skip",
				"./good.TestMissing": ""},
		},
		{
			name:  "the run ends early",
			tests: byPackage{"./exits": {"TestExits", "TestLater"}},
			want:  map[string]string{"./exits.TestExits": "fail", "./exits.TestLater": ""},
		},
		{
			name:    "a package does not build",
			tests:   byPackage{"./broken": {"TestFails"}, "./good": {"TestPasses"}},
			wantErr: modtree.UpstreamPath + "/broken",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			programs := t.TempDir()
			err := buildTests(t.Context(), dir, programs, slices.Collect(maps.Keys(tt.tests)))
			if tt.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), "does not build") || !strings.Contains(err.Error(), tt.wantErr) {
					t.Fatalf("error %v, want %q", err, tt.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, output, err := runTests(t.Context(), dir, programs, tt.tests)
			if err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("results (-want +got):\n%s\n%s", diff, output)
			}
		})
	}
}
