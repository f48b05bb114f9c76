package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"testing"
)

// service is one that runs inside of the test process.
type service struct {
	t      *testing.T
	url    string
	cancel context.CancelFunc
	stdout *bufio.Scanner
	stderr lockedBuffer
	done   chan struct{}
	err    error // set when done is closed
}

func startService(t *testing.T) *service {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	s := &service{t: t, cancel: cancel, stdout: bufio.NewScanner(r), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		s.err = run(ctx, w, &s.stderr)
		_ = w.Close()
	}()
	t.Cleanup(func() {
		cancel()
		_, _ = io.Copy(io.Discard, r)
		<-s.done
	})
	var first listening
	s.line(&first)
	s.url = "http://" + first.Listening
	return s
}

// line decodes the next line of the service's standard output.
func (s *service) line(v any) {
	s.t.Helper()
	if !s.stdout.Scan() {
		<-s.done
		s.t.Fatalf("no line on standard output: the service ended with %v\n%s", s.err, s.stderr.String())
	}
	if err := json.Unmarshal(s.stdout.Bytes(), v); err != nil {
		s.t.Fatalf("%s: %v", s.stdout.Bytes(), err)
	}
}

// stop stops the service and returns its last line and error.
func (s *service) stop() (last stopped, err error) {
	s.t.Helper()
	s.cancel()
	s.line(&last)
	<-s.done
	return last, s.err
}

// process is a service that runs as a process of its own.
type process struct {
	t      *testing.T
	url    string
	cmd    *exec.Cmd
	stdin  io.WriteCloser // its driver's end
	stdout *bufio.Scanner
	stderr lockedBuffer
}

// serviceProcess is the service as a process, not yet started, with this process's environment.
func serviceProcess(t *testing.T) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), asService+"=1")
	return cmd
}

func startProcess(t *testing.T) *process {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows cannot send SIGTERM")
	}
	p := &process{t: t, cmd: serviceProcess(t)}
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.stdout = bufio.NewScanner(out)
	var first listening
	if !p.stdout.Scan() || json.Unmarshal(p.stdout.Bytes(), &first) != nil {
		t.Fatalf("first line %q, exit %v\n%s", p.stdout.Text(), p.cmd.Wait(), p.stderr.String())
	}
	p.url = "http://" + first.Listening
	return p
}

// terminate sends SIGTERM and returns the last line and how the process ended.
func (p *process) terminate() (last stopped, err error) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	return p.ended()
}

// ended waits until the process has ended, and returns its last line and how it ended.
func (p *process) ended() (last stopped, err error) {
	p.t.Helper()
	if !p.stdout.Scan() || json.Unmarshal(p.stdout.Bytes(), &last) != nil {
		p.t.Errorf("last line: %q", p.stdout.Text())
	}
	if p.stdout.Scan() {
		p.t.Errorf("a line too many: %q", p.stdout.Text())
	}
	return last, p.cmd.Wait()
}

// lockedBuffer can be read while it is written.
type lockedBuffer struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
