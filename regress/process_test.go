//go:build unix

package regress

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func startChild(t *testing.T, ctx context.Context, play, fifo string) (*process, error) {
	t.Helper()
	var ready struct{ Ready bool }
	env := []string{childVariable + "=" + play, fifoVariable + "=" + fifo}
	p, err := start(ctx, "child", testBinary(t), env, time.Minute, &ready)
	if err == nil {
		t.Cleanup(p.kill)
	}
	return p, err
}

func TestProcessEndsWithItsGroup(t *testing.T) {
	for name, end := range map[string]func(p *process, cancel func()){
		"kill":   func(p *process, _ func()) { p.kill() },
		"cancel": func(p *process, cancel func()) { cancel(); <-p.done },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			fifo := filepath.Join(t.TempDir(), "grandchild")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
			p, err := startChild(t, ctx, "parent", fifo)
			if err != nil {
				t.Fatal(err)
			}
			alive, err := os.Open(fifo) // returns when the grandchild has opened it too
			if err != nil {
				t.Fatal(err)
			}
			defer alive.Close()
			end(p, cancel)
			p.kill() // once more does no harm
			// The end of the fifo is the end of the grandchild: the test hangs if it lives on.
			if _, err := io.Copy(io.Discard, alive); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestProcessStop(t *testing.T) {
	for _, test := range []struct {
		play    string
		bound   time.Duration
		want    string // error; empty: none
		stopped bool
	}{
		{"graceful", time.Minute, "", true},
		{"graceless", time.Minute, "child: exit status 4", true},
		{"serve", time.Minute, "child: signal: terminated", false}, // it does not expect the signal
		{"stubborn", time.Millisecond, "child: still running 1ms after it was asked to stop", false},
	} {
		t.Run(test.play, func(t *testing.T) {
			p, err := startChild(t, t.Context(), test.play, "")
			if err != nil {
				t.Fatal(err)
			}
			var last struct{ Stopped bool }
			err = p.stop(test.bound, &last)
			if got := fmt.Sprint(err); err != nil && got != test.want || err == nil && test.want != "" {
				t.Errorf("stop: %v, want %q", err, test.want)
			}
			if last.Stopped != test.stopped {
				t.Errorf("last line: %+v", last)
			}
			select {
			case <-p.done:
			default:
				t.Error("it still runs")
			}
		})
	}
}

func TestProcessThatIsNotReady(t *testing.T) {
	for play, want := range map[string][]string{
		"crash":  {"child: ended before it was ready", "exit status 3", "cannot find the flags"},
		"babble": {"child: first line \"hello\""},
	} {
		_, err := startChild(t, t.Context(), play, "")
		if err == nil {
			t.Errorf("%s: started", play)
			continue
		}
		for _, part := range want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: error %q lacks %q", play, err, part)
			}
		}
	}
}
