package eventstore

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// wantLeft fails the test unless err says how many events were left, and wraps all of these.
func wantLeft(t *testing.T, err error, left int64, causes ...error) {
	t.Helper()
	stopped := (*StopError)(nil)
	if !errors.As(err, &stopped) || stopped.Left != left || stopped.Consumer != "sink" {
		t.Fatalf("Stop returns %v, want a StopError of the consumer sink with %d left", err, left)
	}
	for _, cause := range causes {
		if !errors.Is(err, cause) {
			t.Errorf("%v does not wrap %v", err, cause)
		}
	}
}

func TestPumpStopGivesUp(t *testing.T) {
	for _, test := range []struct {
		name     string
		ctx      time.Duration
		do       func(context.Context, handed) error
		returns  time.Duration // Stop does
		cause    error         // besides the context's
		dropped  int64         // when it has returned
		finally  int64         // when the last call has returned, too
		attempts int
	}{
		// The calls' contexts end 500 ms before Stop's, and nothing is tried after that.
		{"failing", 20 * time.Second, func(context.Context, handed) error { return RetryAfter(errSink, 15*time.Second) },
			19500 * time.Millisecond, errSink, 25, 25, 2},
		{"failing, little time", 2 * time.Second, func(context.Context, handed) error { return RetryAfter(errSink, time.Hour) },
			1800 * time.Millisecond, errSink, 25, 25, 1},
		{"minding the context", 2 * time.Second, func(ctx context.Context, _ handed) error { <-ctx.Done(); return errSink },
			1800 * time.Millisecond, errSink, 25, 25, 1},
		{"a little late", 2 * time.Second, func(ctx context.Context, _ handed) error {
			<-ctx.Done()
			time.Sleep(100 * time.Millisecond)
			return errSink
		}, 1900 * time.Millisecond, errSink, 25, 25, 1},
		{"too slow for all", 2 * time.Second, func(context.Context, handed) error { time.Sleep(1900 * time.Millisecond); return nil },
			1900 * time.Millisecond, context.DeadlineExceeded, 15, 15, 1},
		{"failing, then too slow for all", 2 * time.Second, func(_ context.Context, h handed) error {
			if h.Number == 1 {
				return errSink
			}
			time.Sleep(1900 * time.Millisecond)
			return nil
		}, 1950 * time.Millisecond, context.DeadlineExceeded, 15, 15, 2},
		{"hung, nil at last", 2 * time.Second, func(context.Context, handed) error { time.Sleep(time.Hour); return nil },
			2 * time.Second, ErrHung, 15, 15, 1},
		{"hung, failing at last", 2 * time.Second, func(context.Context, handed) error { time.Sleep(time.Hour); return errSink },
			2 * time.Second, ErrHung, 15, 25, 1},
		{"hung, panicking at last", 2 * time.Second, func(context.Context, handed) error { time.Sleep(time.Hour); panic("late") },
			2 * time.Second, ErrHung, 15, 25, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			t.Log(test.name)
			r := newRig(t, ConsumerOptions{}, PumpOptions{MaxBatch: 10, Rand: constant(0.5)}, test.do)
			r.append(25)
			began := time.Now()
			err := r.pump.Stop(timeout(t, test.ctx))
			if took := time.Since(began); took != test.returns {
				t.Errorf("Stop returned after %v, want %v", took, test.returns)
			}
			handled := int64(0)
			if test.cause == context.DeadlineExceeded {
				handled = 10
			}
			wantLeft(t, err, 25-handled, context.DeadlineExceeded, test.cause)
			if strings.Contains(err.Error(), "nil") {
				t.Errorf("Stop's error is %q", err)
			}
			stats := r.pump.Stats()
			if stats.Dropped != test.dropped || stats.Handled != handled || stats.Added != 25 || stats.Hung != errors.Is(err, ErrHung) {
				t.Errorf("after Stop the stats are %+v", stats)
			}
			if again := r.pump.Stop(context.Background()); again != err {
				t.Errorf("a second Stop returns %v, want %v", again, err)
			}
			after(2 * time.Hour)
			stats = r.pump.Stats()
			if stats.Dropped != test.finally || stats.Handled != 25-test.finally || stats.Lag() != 0 || stats.Hung {
				t.Errorf("at the end the stats are %+v", stats)
			}
			if got := len(r.sink.seen()); got != test.attempts {
				t.Errorf("%d calls, want %d", got, test.attempts)
			}
		})
	}
}
