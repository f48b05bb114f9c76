package regress

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"
)

// process is a child that speaks JSON lines on stdout: the first when it is ready, the last when it has stopped.
// It runs in a process group of its own, which is killed when the context of start ends.
type process struct {
	name string
	cmd  *exec.Cmd
	out  *lines
	errs *tail
	done chan struct{} // closed when the process has ended and exit is set
	exit error
}

// start starts the binary with exactly the given environment and waits until its first line is there, decoded into ready.
// Ready or not, after an error nothing of it is left.
func start(ctx context.Context, name, binary string, env []string, bound time.Duration, ready any) (*process, error) {
	p := &process{
		name: name, cmd: exec.CommandContext(ctx, binary),
		out: &lines{first: make(chan []byte, 1)}, errs: &tail{}, done: make(chan struct{}),
	}
	p.cmd.Env = env
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.errs
	ownGroup(p.cmd)
	p.cmd.Cancel = func() error { return killGroup(p.cmd.Process) }
	p.cmd.WaitDelay = 10 * time.Second // for output that a child of its own might hold open
	// Its stdin stays open as long as we live. The service and the companion watch it, so that they do not outlive us
	// when we are killed. Wait closes it.
	if _, err := p.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	go func() {
		p.exit = p.cmd.Wait()
		close(p.done)
	}()

	timer := time.NewTimer(bound)
	defer timer.Stop()
	var err error
	select {
	case line := <-p.out.first:
		if err = json.Unmarshal(line, ready); err == nil {
			return p, nil
		}
		err = fmt.Errorf("first line %q: %w", line, err)
	case <-p.done:
		err = fmt.Errorf("ended before it was ready: %w", errors.Join(p.exit, ctx.Err()))
	case <-timer.C:
		err = fmt.Errorf("not ready after %s", bound)
	}
	p.kill()
	return nil, p.failure(err)
}

// stop asks the process to end, waits for that up to bound, and decodes its last line into stopped; of one that ended with
// an exit code as far as it is there. After an error the process is gone too.
func (p *process) stop(bound time.Duration, stopped any) error {
	if err := terminate(p.cmd.Process); err != nil {
		p.kill()
		return p.failure(err)
	}
	timer := time.NewTimer(bound)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		p.kill()
		return p.failure(fmt.Errorf("still running %s after it was asked to stop", bound))
	}
	if p.exit != nil {
		_ = json.Unmarshal(p.out.last(), stopped) // a crash leaves none
		return p.failure(p.exit)
	}
	if err := json.Unmarshal(p.out.last(), stopped); err != nil {
		return p.failure(fmt.Errorf("last line %q: %w", p.out.last(), err))
	}
	return nil
}

// kill ends the process and its group, and returns when it is gone. It may be called at any time, and again.
func (p *process) kill() {
	select {
	case <-p.done:
		return
	default:
	}
	_ = killGroup(p.cmd.Process) // an error means that it has just ended
	<-p.done
}

// cpu is the processor time that the process used; it must have ended.
func (p *process) cpu() time.Duration {
	return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
}

// failure adds the process's name and the end of its log to err.
func (p *process) failure(err error) error {
	if log := p.errs.String(); log != "" {
		return fmt.Errorf("%s: %w; the end of its log:\n%s", p.name, err, log)
	}
	return fmt.Errorf("%s: %w", p.name, err)
}

// lines is the stdout of a process: it keeps the first whole line and the newest.
type lines struct {
	first chan []byte // gets the first line

	mu      sync.Mutex // guards what follows
	partial []byte     // of the line that is being written
	newest  []byte
	seen    bool // a first line was there
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.partial = append(l.partial, b...)
	for {
		line, rest, whole := bytes.Cut(l.partial, []byte{'\n'})
		if !whole {
			return len(b), nil
		}
		l.newest = bytes.Clone(line)
		l.partial = rest
		if !l.seen {
			l.seen = true
			l.first <- l.newest
		}
	}
}

func (l *lines) last() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.newest
}

// tail is the stderr of a process: it keeps the end.
type tail struct {
	mu   sync.Mutex // guards kept
	kept []byte
}

// tailSize is enough for the message of a panic.
const tailSize = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - tailSize; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.kept))
}
