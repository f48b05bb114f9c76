package eventstore

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A handler that minds its context fails at its deadline, is not abandoned, and gets its batch again.
func TestPumpDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := PumpOptions{Timeout: 20 * time.Second, Rand: constant(0.5)}
		r := newRig(t, ConsumerOptions{Threshold: 1}, o, func(ctx context.Context, h handed) error {
			if h.Number == 1 {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		})
		r.pump.Start()
		r.append(1)
		after(time.Minute)
		r.sink.wantTimes(0, 20*time.Second+50*time.Millisecond)
		for _, h := range r.sink.seen() {
			if h.deadline != 20*time.Second {
				t.Errorf("attempt %d has %v, want 20s", h.Number, h.deadline)
			}
		}
		stats := r.pump.Stats()
		if stats.Abandoned != 0 || stats.Failures != 1 || !errors.Is(stats.LastError, context.DeadlineExceeded) {
			t.Errorf("the stats are %+v", stats)
		}
		r.stop(t)
	})
}

// What hangs on the context of a call is let go when it returns.
func TestPumpEndsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended <-chan struct{}
		r := newRig(t, ConsumerOptions{}, PumpOptions{Timeout: time.Hour}, func(ctx context.Context, _ handed) error {
			ended = ctx.Done()
			return nil
		})
		r.append(1)
		if err := r.pump.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		select {
		case <-ended:
		default:
			t.Error("the context lives on")
		}
		r.stop(t)
	})
}

// A call that does not return is abandoned: counted once, and no other call is made before it returns.
func TestPumpAbandons(t *testing.T) {
	for _, test := range []struct {
		name      string
		err       error
		calls     []time.Duration
		failures  int64
		lastError error
	}{
		{"returns nil at last", nil, []time.Duration{0, time.Hour}, 0, ErrHung},
		{"fails at last", errSink, []time.Duration{0, time.Hour + 50*time.Millisecond, time.Hour + 50*time.Millisecond}, 1, errSink},
	} {
		synctest.Test(t, func(t *testing.T) {
			o := PumpOptions{Timeout: 3 * time.Second, Rand: constant(0.5)}
			r := newRig(t, ConsumerOptions{Threshold: 1}, o, func(_ context.Context, h handed) error {
				if h.First == 0 && h.Number == 1 {
					time.Sleep(time.Hour)
					return test.err
				}
				return nil
			})
			r.pump.Start()
			r.append(1)
			flushed := make(chan error, 1)
			go func() { flushed <- r.pump.Flush(context.Background()) }()
			after(3*time.Second + 299*time.Millisecond)
			if stats := r.pump.Stats(); stats.Hung || stats.Abandoned != 0 || len(flushed) != 0 {
				t.Errorf("%s: abandoned while there was time: %+v", test.name, stats)
			}
			after(time.Millisecond)
			if stats := r.pump.Stats(); !stats.Hung || stats.Abandoned != 1 || stats.InFlight != 1 || !errors.Is(stats.LastError, ErrHung) {
				t.Errorf("%s: the stats of a hung pump are %+v", test.name, stats)
			}
			if err := <-flushed; !errors.Is(err, ErrHung) {
				t.Errorf("%s: the Flush before it returns %v", test.name, err)
			}
			r.append(5)
			if err := r.pump.Flush(context.Background()); !errors.Is(err, ErrHung) {
				t.Errorf("%s: the Flush after it returns %v", test.name, err)
			}
			after(30 * time.Minute)
			r.sink.wantRuns(1)
			after(time.Hour)
			r.sink.wantTimes(test.calls...)
			stats := r.pump.Stats()
			if stats.Hung || stats.Abandoned != 1 || stats.Failures != test.failures || !errors.Is(stats.LastError, test.lastError) {
				t.Errorf("%s: the stats at the end are %+v", test.name, stats)
			}
			r.stop(t)
		})
	}
}

func TestPumpContainsPanics(t *testing.T) {
	for _, test := range []struct {
		name   string
		do     func()
		panics int64
		says   string
	}{
		{"panic", func() { panic("no bucket") }, 1, "panicked: no bucket"},
		{"panic with an error", func() { panic(errSink) }, 1, "panicked: the sink is down"},
		{"nil dereference", func() { _ = *(*int)(nil) }, 1, "nil pointer"},
		{"Goexit", runtime.Goexit, 0, "ended its goroutine"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, ConsumerOptions{}, PumpOptions{}, func(_ context.Context, h handed) error {
				if h.Number == 1 {
					test.do()
				}
				return nil
			})
			r.append(3)
			err := r.pump.Flush(context.Background())
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s: Flush returns %v, want an error that says %q", test.name, err, test.says)
			}
			if panicked := (*PanicError)(nil); errors.As(err, &panicked) {
				if !strings.Contains(string(panicked.Stack), "TestPumpContainsPanics") {
					t.Errorf("%s: the stack is not that of the panic: %s", test.name, panicked.Stack)
				}
				if value, ok := panicked.Value.(error); ok && !errors.Is(err, value) {
					t.Errorf("%s: %v does not wrap its value", test.name, err)
				}
			}
			after(time.Second)
			r.sink.wantRuns(3, 3)
			if stats := r.pump.Stats(); stats.Panics != test.panics || stats.Failures != 1 || stats.Handled != 3 {
				t.Errorf("%s: the stats are %+v", test.name, stats)
			}
			r.stop(t)
		})
	}
}

func TestAttemptFromElsewhere(t *testing.T) {
	if a, ok := AttemptFrom(context.Background()); ok {
		t.Errorf("a context that no pump made has the attempt %+v", a)
	}
}

// A consumer that somebody else closed has nothing left, and is no reason to run in circles or to wait.
func TestPumpClosedConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ConsumerOptions{Threshold: 10}, PumpOptions{}, nil)
		r.pump.Start()
		r.append(3)
		r.consumer.Close()
		if err := r.pump.Flush(context.Background()); err != nil {
			t.Error(err)
		}
		after(time.Hour)
		if err := r.pump.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		r.sink.wantRuns()
	})
}

// Somebody else who settles a batch in flight does harm, but not to memory: no handler is called with a batch that is not in flight.
func TestPumpForeignCommit(t *testing.T) {
	for _, err := range []error{nil, errSink} {
		synctest.Test(t, func(t *testing.T) {
			var r *rig
			logger, lines := newLog()
			r = newRig(t, ConsumerOptions{Threshold: 2}, PumpOptions{Logger: logger}, func(_ context.Context, h handed) error {
				if h.First > 0 {
					return nil
				}
				b, _ := r.consumer.Fetch(0)
				mustCommit(t, r.consumer, b)
				return err
			})
			r.pump.Start()
			r.append(2)
			after(time.Second)
			r.append(3)
			after(time.Second)
			calls := r.sink.seen()
			if len(calls) != 2 || calls[1].First != 2 || calls[1].Number != 1 || calls[1].events[0] != 3 {
				t.Errorf("the handler was handed %+v", calls)
			}
			if err == nil {
				wantLines(t, lines(), `level=ERROR msg="eventstore: somebody else settled .*" consumer=sink first=0 last=1 error=.*`)
			}
			if err := r.pump.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
}

func ExampleRetryAfter() {
	err := RetryAfter(errors.New("503 Service Unavailable"), 30*time.Second) // what the response's header says
	fmt.Println(err)
	// Output: 503 Service Unavailable
}
