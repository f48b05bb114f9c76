//go:build linux

package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// An interrupt, in whatever it does, must leave no process, and so no port, and no folder behind.
func TestProveInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the service on upstream's sources, which -short leaves alone")
	}
	for _, test := range []struct {
		name   string
		step   string // the step on stderr
		binary string // that must be running by then
		signal os.Signal
	}{
		{"building", "[1/3] ", "", os.Interrupt},
		{"driving", "[3/3] ", "v1.55.2", os.Interrupt},
		{"terminated", "[3/3] ", "v1.55.2", syscall.SIGTERM},
		{"hung up", "[3/3] ", "v1.55.2", syscall.SIGHUP},
	} {
		t.Run(test.name, func(t *testing.T) {
			temp := t.TempDir()
			page := filepath.Join(t.TempDir(), "report.html")
			cmd, log := startProve(t, temp, test.step, "--html", page)
			awaitRun(t, temp, test.binary)
			if err := cmd.Process.Signal(test.signal); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(log)
			if err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitIO {
				t.Errorf("ended with %v, want exit code %d", err, exitIO)
			}
			if !strings.Contains(string(rest), "offlock: interrupted") {
				t.Errorf("stderr does not say why it ended: %q", rest)
			}

			if runs(t, temp, "") {
				t.Errorf("a process from %s still runs", temp)
			}
			checkEmpty(t, temp)
			checkEmpty(t, filepath.Dir(page))
		})
	}
}

// A kill cannot be handled: the children must notice it, and the next run must remove the folder.
func TestProveKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the service on upstream's sources, which -short leaves alone")
	}
	temp := t.TempDir()
	killed, _ := startProve(t, temp, "[3/3] ")
	awaitRun(t, temp, "companion")
	awaitRun(t, temp, "v1.55.2")
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	for runs(t, temp, "") {
		time.Sleep(time.Millisecond) // until the last one has ended; the test's deadline bounds it
	}

	next, log := startProve(t, temp, "[1/3] ")
	if err := next.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, log); err != nil {
		t.Fatal(err)
	}
	_ = next.Wait()
	checkEmpty(t, temp)
}

// startProve starts a short proof with its temporary files in temp, waits until it shows the step, and returns the rest of
// its stderr too.
func startProve(t *testing.T, temp, step string, args ...string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command("offlock", append([]string{"prove", "--quick", "--scenario", "threshold", "--arm", "v1.55.2"}, args...)...)
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // an error means that it has ended
	log := bufio.NewReader(stderr)
	for line := ""; !strings.HasPrefix(line, step); {
		if line, err = log.ReadString('\n'); err != nil {
			t.Fatalf("no step %q: %v; the last line was %q", step, err, line)
		}
	}
	return cmd, log
}

// awaitRun waits until a process from dir with the binary of that name runs; an empty name is not waited for.
func awaitRun(t *testing.T, dir, binary string) {
	t.Helper()
	for binary != "" && !runs(t, dir, binary) {
		time.Sleep(time.Millisecond) // until the process is there; the test's deadline bounds it
	}
}

func checkEmpty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range left {
		t.Errorf("%s was left behind", filepath.Join(dir, entry.Name()))
	}
}

// runs tells whether any process has its binary below dir; with a name, whether one of that name has.
func runs(t *testing.T, dir, name string) bool {
	t.Helper()
	processes, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range processes {
		if _, err := strconv.Atoi(p.Name()); err != nil {
			continue
		}
		binary, err := os.Readlink(filepath.Join("/proc", p.Name(), "exe"))
		if err != nil {
			continue // ended meanwhile, or another user's
		}
		binary = strings.TrimSuffix(binary, " (deleted)")
		if strings.HasPrefix(binary, dir+"/") && (name == "" || filepath.Base(binary) == name) {
			return true
		}
	}
	return false
}
