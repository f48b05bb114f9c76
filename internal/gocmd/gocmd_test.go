package gocmd_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/offlock/offlock/internal/gocmd"
	"go.uber.org/goleak"
)

// The test binary stands in for the go command, and for what that starts.
func TestMain(m *testing.M) {
	switch os.Getenv("GOCMD_TEST") {
	case "parent":
		standInParent()
	case "child":
		standInChild()
	}
	goleak.VerifyTestMain(m)
}

// standInParent starts a child that holds the pipes of its own life, and waits for it.
func standInParent() {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "GOCMD_TEST=child")
	child.Stdout = os.Stdout
	if err := child.Run(); err != nil {
		os.Exit(3)
	}
	os.Exit(0)
}

// standInChild says who it is through a named pipe, and stays until it is ended. The pipe's end is how a test sees it go.
func standInChild() {
	alive, err := os.OpenFile(os.Getenv("GOCMD_TEST_PIPE"), os.O_WRONLY, 0)
	if err != nil {
		os.Exit(4)
	}
	if _, err := fmt.Fprintln(alive, os.Getpid()); err != nil {
		os.Exit(5)
	}
	silent, mouth, err := os.Pipe()
	if err != nil {
		os.Exit(6)
	}
	defer mouth.Close()
	io.Copy(io.Discard, silent)
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	out, err := gocmd.Run(t.Context(), dir, []string{"GOWORK=off", "GOFLAGS=-first", "GOFLAGS=-trimpath"}, "env", "GOFLAGS", "GOWORK")
	if err != nil || string(out) != "-trimpath\noff\n" {
		t.Errorf("Run = %q, %v", out, err)
	}
}

// The go command gets PWD as it is, so that paths in its output are those that the user knows.
func TestRunFolder(t *testing.T) {
	real := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	if err := os.WriteFile(filepath.Join(real, "go.mod"), []byte("module example.com/m\n\ngo 1.21\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(link))
	out, err := gocmd.Run(t.Context(), "link", []string{"GOWORK=off", "GOFLAGS="}, "list", "-m", "-f", "{{.Dir}}")
	if want := link + "\n"; err != nil || string(out) != want {
		t.Errorf("Run = %q, %v; want %q", out, err, want)
	}
}

func TestRunFails(t *testing.T) {
	_, err := gocmd.Run(t.Context(), t.TempDir(), []string{"GOWORK=off", "GOFLAGS="}, "mod", "verify")
	var failed *gocmd.Error
	var exit *exec.ExitError
	if !errors.As(err, &failed) || !errors.As(err, &exit) {
		t.Fatalf("error %v of type %T, want an Error with the exit", err, err)
	}
	if !strings.Contains(failed.Stderr, "go.mod") || err.Error() != "go mod verify: "+failed.Stderr {
		t.Errorf("the go command's own words are missing: %v", err)
	}
	if silent := (&gocmd.Error{Args: []string{"list"}, Err: exit}).Error(); silent != "go list: "+exit.Error() {
		t.Errorf("error of a silent go command: %s", silent)
	}

	if _, err := gocmd.Run(t.Context(), filepath.Join(t.TempDir(), "missing"), nil, "version"); err == nil {
		t.Error("a missing folder is no error")
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := gocmd.Run(t.Context(), t.TempDir(), nil, "version"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("without a go command: error %v, want exec.ErrNotFound", err)
	}
}

// When the context ends, so does all that the go command started, and the error is the context's cause.
func TestRunEndsTogether(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		t.Skip("no process groups here")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, pipe := t.TempDir(), filepath.Join(t.TempDir(), "pipe")
	if err := os.Symlink(self, filepath.Join(bin, "go")); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfifo", pipe).CombinedOutput(); err != nil {
		t.Skipf("no named pipes here: %v %s", err, out)
	}
	t.Setenv("PATH", bin)

	stopped := errors.New("stopped by the user")
	ctx, stop := context.WithCancelCause(t.Context())
	ran := make(chan error)
	go func() {
		_, err := gocmd.Run(ctx, bin, []string{"GOCMD_TEST=parent", "GOCMD_TEST_PIPE=" + pipe}, "mod", "download")
		ran <- err
	}()
	alive, err := os.Open(pipe) // waits for the child
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	var child int
	if _, err := fmt.Fscanln(alive, &child); err != nil {
		t.Fatal(err)
	}
	stop(stopped)
	if err := <-ran; !errors.Is(err, stopped) || !strings.Contains(err.Error(), "go mod download") {
		t.Errorf("error %v, want one of the stopped command", err)
	}
	// The pipe ends when the child has. One that lives on is ended here, so that the test can tell.
	guard := time.AfterFunc(time.Minute, func() {
		t.Error("what the go command started is still running")
		if p, err := os.FindProcess(child); err == nil {
			p.Kill()
		}
	})
	if rest, err := io.ReadAll(alive); err != nil || len(rest) > 0 {
		t.Errorf("the child's pipe: %q, %v", rest, err)
	}
	guard.Stop()
}

func TestRunNotAtAll(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := gocmd.Run(ctx, t.TempDir(), nil, "version"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}
