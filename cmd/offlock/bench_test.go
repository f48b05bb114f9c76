package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

// A benchmark of the library itself, on a release and on the fork: what is built, run and labelled is what a user gets.
func TestBenchArms(t *testing.T) {
	if testing.Short() {
		t.Skip("builds on upstream's sources, which -short leaves alone")
	}
	out := filepath.Join(t.TempDir(), "results.txt")
	var stdout, stderr bytes.Buffer
	args := []string{
		"bench", "--arm", "v1.52.1,v1.55.2,fork", "--bench", "AddEvent$/exporters=1/flush=10000/goroutines=64",
		"--count", "1", "--benchtime", "20000x", "--out", out,
	}
	if code := run(args, streams{out: &stdout, err: &stderr}); code != exitFine {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	delivered := map[string]float64{}
	files := benchfmt.Files{Paths: []string{out}}
	for files.Scan() {
		switch record := files.Result().(type) {
		case *benchfmt.Result:
			delivered[record.GetConfig("arm")], _ = record.Value("delivered-%")
		case *benchfmt.SyntaxError:
			t.Error(record)
		}
	}
	for _, arm := range []string{"v1.52.1", "v1.55.2", "fork"} {
		if delivered[arm] != 100 {
			t.Errorf("%s delivered %v %%", arm, delivered[arm])
		}
	}
	if !strings.Contains(stdout.String(), "ratios to v1.55.2") {
		t.Errorf("the table:\n%s", stdout.String())
	}
}

// writeClone writes a clone whose only benchmark says that it runs and then does nothing for long.
func writeClone(t *testing.T) string {
	t.Helper()
	clone := t.TempDir()
	if err := os.MkdirAll(filepath.Join(clone, "bench", "peers"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(clone, "go.mod"), "module github.com/offlock/offlock\n\ngo 1.25\n")
	writeFile(t, filepath.Join(clone, "bench", "go.mod"), "module github.com/offlock/offlock/bench\n\ngo 1.25\n")
	writeFile(t, filepath.Join(clone, "bench", "peers", "peers_test.go"), `package peers

import (
	"fmt"
	"testing"
	"time"
)

func BenchmarkLong(b *testing.B) {
	for {
		time.Sleep(10 * time.Millisecond)
		fmt.Println("still here")
	}
}
`)
	return clone
}

// startBench starts a run in the clone, with its temporary files in temp, and waits until the benchmark runs.
func startBench(t *testing.T, clone, temp string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.Command("offlock", "-C", clone, "bench", "--arm", "peers", "--out", filepath.Join(temp, "results.txt"))
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // an error means that it has ended
	awaitRun(t, temp, "peers.test")
	return cmd, &stderr
}

// endsWith is nil if a command ended with the exit code.
func endsWith(err error, code int) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != code {
		return fmt.Errorf("ended with %v, want exit code %d", err, code)
	}
	return nil
}
