package fork_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/offlock/offlock/internal/modtree"
)

// goTest runs the named tests of a module's packages ("./exporter" to names) and returns what became of each:
// "./exporter.TestName" to pass, fail, skip, or nothing if the run ended before. Code that does not build is no result
// but the end of the test: it proves nothing.
//
// Paths are trimmed, so that packages compiled in one temporary folder are found in the build cache from the next one.
func goTest(t *testing.T, dir string, tests map[string][]string) map[string]string {
	t.Helper()
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
	cmd := exec.CommandContext(t.Context(), "go", append(args, slices.Sorted(maps.Keys(tests))...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}

	var output strings.Builder
	for decoder := json.NewDecoder(&stdout); ; {
		var event struct{ Action, Package, ImportPath, Test, Output string }
		if err := decoder.Decode(&event); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("reading the output of go test: %v\n%s", err, stderr.String())
		}
		output.WriteString(event.Output)
		if event.Action == "build-fail" {
			t.Fatalf("%s does not build:\n%s", event.ImportPath, output.String())
		}
		name := "." + strings.TrimPrefix(event.Package, modtree.UpstreamPath) + "." + event.Test
		if _, ours := results[name]; ours && slices.Contains([]string{"pass", "fail", "skip"}, event.Action) {
			results[name] = event.Action
		}
	}
	t.Logf("%s\n%s%s", strings.Join(cmd.Args, " "), output.String(), stderr.String())
	return results
}
