//go:build linux || darwin

package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// stuckGo is a go command that, asked to vendor, says so in the file "stuck" and does not come back while the test holds
// the pipe.
const stuckGo = `#!/bin/sh
case " $* " in
*" vendor "*) : >"$STUCK/stuck"; exec cat "$STUCK/pipe" ;;
esac
exec "$REAL_GO" "$@"
`

// A signal in the middle of apply leaves the service as it was; a kill leaves what the next run mends.
func TestApplyInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("downloads go-feature-flag; run without -short")
	}
	for _, tc := range []struct {
		name    string
		signal  syscall.Signal
		handled bool
	}{
		{"interrupt", syscall.SIGINT, true},
		{"terminate", syscall.SIGTERM, true},
		{"hang up", syscall.SIGHUP, true},
		{"kill", syscall.SIGKILL, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if signal.Ignored(tc.signal) {
				t.Skipf("whoever started the tests has them ignore %v, and what they start", tc.signal)
			}
			dir := filepath.Join(t.TempDir(), "svc")
			if err := writeService(dir, "v1.55.2"); err != nil {
				t.Fatal(err)
			}
			offlock := func(args ...string) (string, int) {
				t.Helper()
				cmd := exec.Command("offlock", args...)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				var exit *exec.ExitError
				if err != nil && !errors.As(err, &exit) {
					t.Fatal(err)
				}
				return string(out), cmd.ProcessState.ExitCode()
			}
			vendor := exec.Command("go", "mod", "vendor")
			vendor.Dir = dir
			if out, err := vendor.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			original, err := tree(dir)
			if err != nil {
				t.Fatal(err)
			}
			unchanged := func(when string) {
				t.Helper()
				now, err := tree(dir)
				if diff := cmp.Diff(original, now); err != nil || diff != "" {
					t.Errorf("%s (-want +got): %v\n%s", when, err, diff)
				}
			}

			cmd := applyStuck(t, dir)
			if err := cmd.Process.Signal(tc.signal); err != nil {
				t.Fatal(err)
			}
			err = cmd.Wait()
			if tc.handled {
				if code := cmd.ProcessState.ExitCode(); code != exitIO {
					t.Errorf("ended with %v, want exit code %d", err, exitIO)
				}
				unchanged("half done")
				return
			}
			if out, code := offlock("check"); code != exitCheck || !strings.Contains(out, "interrupted: ") {
				t.Errorf("check ends with %d: %s", code, out)
			}
			if out, code := offlock("apply"); code != exitFine || !strings.Contains(out, "an earlier run was interrupted") {
				t.Errorf("apply ends with %d: %s", code, out)
			}
			if out, code := offlock("check"); code != exitFine {
				t.Errorf("check ends with %d: %s", code, out)
			}
			if out, code := offlock("revert"); code != exitFine {
				t.Errorf("revert ends with %d: %s", code, out)
			}
			unchanged("after revert")
		})
	}
}

// applyStuck starts an apply and returns when it waits for the go command that makes the vendor folder anew.
func applyStuck(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	stuck := t.TempDir()
	if err := os.WriteFile(filepath.Join(stuck, "go"), []byte(stuckGo), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(stuck, "pipe"), 0o600); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	pipe, err := os.OpenFile(filepath.Join(stuck, "pipe"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pipe.Close() })
	cmd := exec.Command("offlock", "apply")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "STUCK="+stuck, "REAL_GO="+real, "PATH="+stuck+string(os.PathListSeparator)+os.Getenv("PATH"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // an error means that it has ended
	for {
		if _, err := os.Stat(filepath.Join(stuck, "stuck")); err == nil {
			return cmd
		}
		time.Sleep(time.Millisecond) // until the go command is there; the test's deadline bounds it
	}
}
