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
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/offlock/offlock/internal/modtree"
)

// goTest runs the named tests of a module's packages ("./exporter" to names). It returns what became of each,
// "./exporter.TestName" to pass, fail, skip, or nothing if the run ended before, and what the go command printed. Code that
// does not build is an error, not a failed test: it proves nothing.
//
// Paths are trimmed, so that packages compiled in one temporary folder are found in the build cache from the next one.
func goTest(ctx context.Context, dir string, tests map[string][]string) (map[string]string, string, error) {
	results := map[string]string{}
	var names []string
	for pkg, funcs := range tests {
		for _, name := range funcs {
			results[pkg+"."+name] = ""
		}
		names = append(names, funcs...)
	}
	// The tests of a patch wait for something that never comes where the patch is missing; they can do that together.
	// Debug information and vet would take about as long as all the rest.
	args := []string{"test", "-json", "-race", "-trimpath", "-ldflags=-s -w", "-vet=off", "-count=1", "-timeout=3m", "-parallel=32",
		"-run=^(" + strings.Join(names, "|") + ")$"}
	cmd := exec.CommandContext(ctx, "go", append(args, slices.Sorted(maps.Keys(tests))...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	failed := cmd.Run()

	var output strings.Builder
	var unbuilt []string
	for decoder := json.NewDecoder(&stdout); ; {
		var event struct{ Action, Package, ImportPath, Test, Output string }
		if err := decoder.Decode(&event); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, output.String(), fmt.Errorf("reading the output of go test: %w", err)
		}
		output.WriteString(event.Output)
		if event.Action == "build-fail" {
			unbuilt = append(unbuilt, event.ImportPath)
		}
		name := "." + strings.TrimPrefix(event.Package, modtree.UpstreamPath) + "." + event.Test
		if _, ours := results[name]; ours && slices.Contains([]string{"pass", "fail", "skip"}, event.Action) {
			results[name] = event.Action
		}
	}
	output.Write(stderr.Bytes())
	switch exit := (*exec.ExitError)(nil); {
	case len(unbuilt) > 0:
		return nil, output.String(), fmt.Errorf("does not build: %s", strings.Join(unbuilt, ", "))
	case failed != nil && !errors.As(failed, &exit):
		return nil, output.String(), failed
	}
	return results, output.String(), nil
}

// TestGoTest checks the judge itself.
func TestGoTest(t *testing.T) {
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
		tests   map[string][]string
		want    map[string]string
		wantErr string
	}{
		{
			name:  "results",
			tests: map[string][]string{"./good": {"TestPasses", "TestFails", "TestSkips", "TestMissing"}},
			want: map[string]string{"./good.TestPasses": "pass", "./good.TestFails": "fail", "./good.TestSkips": "skip",
				"./good.TestMissing": ""},
		},
		{
			name:  "the run ends early",
			tests: map[string][]string{"./exits": {"TestExits", "TestLater"}},
			want:  map[string]string{"./exits.TestExits": "", "./exits.TestLater": ""},
		},
		{
			name:    "a package does not build",
			tests:   map[string][]string{"./broken": {"TestFails"}, "./good": {"TestPasses"}},
			wantErr: "does not build: " + modtree.UpstreamPath + "/broken",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, output, err := goTest(t.Context(), dir, tt.tests)
			if tt.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantErr) {
					t.Fatalf("error %v, want %q\n%s", err, tt.wantErr, output)
				}
				return
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("results (-want +got):\n%s\n%s", diff, output)
			}
		})
	}
}
