package exporter_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"

	"github.com/offlock/offlock/eventstore"
	"github.com/offlock/offlock/exporter"
)

// stoppable is an inner exporter that can be stopped.
type stoppable struct {
	bulk
	export  func(context.Context) error
	stop    func(context.Context) error
	stopped atomic.Int64 // calls of Stop
}

func (s *stoppable) Export(ctx context.Context, _ *fflog.FFLogger, _ []ffexporter.ExportableEvent) error {
	return s.export(ctx)
}

func (s *stoppable) Stop(ctx context.Context) error {
	s.stopped.Add(1)
	return s.stop(ctx)
}

func well(context.Context) error { return nil }

// Three batches of 10 events wait for Stop, whose context has 20 seconds.
func TestAsyncStop(t *testing.T) {
	for _, test := range []struct {
		name         string
		export, stop func(context.Context) error
		left         int64 // batches
		inFlight     int64 // of these, when Stop has returned
		returns      time.Duration
		errors       []error
		handledLate  int64 // batches, by a call that returns after Stop
	}{
		{"well", well, well, 0, 0, 0, nil, 0},
		{"slow", func(context.Context) error { time.Sleep(5 * time.Second); return nil }, well, 0, 0, 15 * time.Second, nil, 0},
		// A second is left for the inner exporter's Stop, and half of one for a call to return.
		{"failing", func(context.Context) error { return eventstore.RetryAfter(errDown, 10*time.Second) },
			func(ctx context.Context) error { time.Sleep(900 * time.Millisecond); return ctx.Err() },
			3, 0, 18500*time.Millisecond + 900*time.Millisecond, []error{context.DeadlineExceeded, errDown}, 0},
		{"minding its context", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, well,
			3, 0, 18500 * time.Millisecond, []error{context.DeadlineExceeded}, 0},
		{"hung, then well", func(context.Context) error { time.Sleep(time.Hour); return nil }, well,
			3, 1, 19 * time.Second, []error{context.DeadlineExceeded, exporter.ErrHung}, 1},
		{"hung, then failing", func(context.Context) error { time.Sleep(time.Hour); return errDown }, well,
			3, 1, 19 * time.Second, []error{context.DeadlineExceeded, exporter.ErrHung}, 0},
		{"failing Stop", well, func(context.Context) error { return errDown }, 0, 0, 0, []error{errDown}, 0},
		{"panicking Stop", well, func(context.Context) error { panic(errDown) }, 0, 0, 0, []error{errDown}, 0},
		{"hung Stop", well, func(context.Context) error { time.Sleep(time.Hour); return nil },
			0, 0, 20 * time.Second, []error{context.DeadlineExceeded, exporter.ErrHung}, 0},
		{"Stop that ends its goroutine", well, func(context.Context) error { runtime.Goexit(); return nil },
			0, 0, 0, []error{errAny}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner := &stoppable{export: test.export, stop: test.stop}
				a := newAsync(t, inner, exporter.AsyncOptions{Timeout: time.Minute})
				for i := range 3 {
					hand(t, a, 10*i, 10)
				}
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				defer cancel()
				begun := time.Now()
				err := a.Stop(ctx)
				if took := time.Since(begun); took != test.returns {
					t.Errorf("Stop took %v, want %v", took, test.returns)
				}
				wantStopError(t, err, test.left, test.errors)
				if again := a.Stop(context.Background()); test.returns < 20*time.Second && !errors.Is(again, err) && again.Error() != err.Error() {
					t.Errorf("the second Stop returns %v, the first %v", again, err)
				}
				if n := inner.stopped.Load(); n != 1 {
					t.Errorf("the inner exporter was stopped %d times, want once", n)
				}
				counts := exporter.AsyncCounts{Added: 3, Handled: 3 - test.left, Dropped: test.left - test.inFlight, InFlight: test.inFlight}
				wantCounts(t, a.Stats(), counts, times(counts, 10))
				if a.Stats().Hung != (test.inFlight > 0) {
					t.Errorf("Hung is %v with %d batches in flight", a.Stats().Hung, test.inFlight)
				}
				time.Sleep(2 * time.Hour) // a call that was left behind has returned
				counts.Handled += test.handledLate
				counts.Dropped += test.inFlight - test.handledLate
				counts.InFlight = 0
				wantCounts(t, a.Stats(), counts, times(counts, 10))
			})
		})
	}
}

func times(c exporter.AsyncCounts, n int64) exporter.AsyncCounts {
	return exporter.AsyncCounts{
		Added: n * c.Added, Handled: n * c.Handled, Dropped: n * c.Dropped, InFlight: n * c.InFlight, Waiting: n * c.Waiting,
	}
}

// errAny stands for an error without a name.
var errAny = errors.New("any error")

func wantStopError(t *testing.T, err error, batches int64, wraps []error) {
	t.Helper()
	if (err != nil) != (len(wraps) > 0) {
		t.Fatalf("Stop: %v, want an error that wraps %v", err, wraps)
	}
	for _, want := range wraps {
		if want != errAny && !errors.Is(err, want) {
			t.Errorf("%v does not wrap %v", err, want)
		}
	}
	var left *exporter.StopError
	if errors.As(err, &left) != (batches > 0) || left != nil && (left.Batches != batches || left.Events != 10*batches) {
		t.Errorf("Stop: %v, want %d batches left", err, batches)
	}
}

// The context that ends first counts, also one that has ended already.
func TestAsyncStopConcurrentSafe(t *testing.T) {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	g := newGate()
	a := newAsync(t, g, exporter.AsyncOptions{})
	hand(t, a, 0, 1)
	hand(t, a, 1, 1)
	c := <-g.calls
	var all sync.WaitGroup
	results := make([]error, 8)
	for i := range results {
		all.Go(func() {
			ctx := context.Background()
			if i == 3 {
				ctx = done
			}
			results[i] = a.Stop(ctx)
		})
	}
	all.Wait()
	for _, err := range results {
		var left *exporter.StopError
		if !errors.As(err, &left) || left.Batches != 2 || !errors.Is(err, context.Canceled) || !errors.Is(err, exporter.ErrHung) {
			t.Errorf("Stop: %v, want 2 batches left, canceled, hung", err)
		}
	}
	wantCounts(t, a.Stats(), exporter.AsyncCounts{Added: 2, Dropped: 1, InFlight: 1}, exporter.AsyncCounts{Added: 2, Dropped: 1, InFlight: 1})
	c.reply <- nil
	for a.Stats().Events.InFlight > 0 { // the call that was left behind ends by itself
		runtime.Gosched()
	}
	wantCounts(t, a.Stats(), exporter.AsyncCounts{Added: 2, Dropped: 1, Handled: 1}, exporter.AsyncCounts{Added: 2, Dropped: 1, Handled: 1})
}

// What Export took is exported, what it refused is not: whatever Stop runs beside it.
func TestAsyncExportAndStopConcurrentSafe(t *testing.T) {
	const producers, batches, size = 4, 200, 3
	for range 20 {
		var exported atomic.Int64
		a := newAsync(t, funcSink(func(_ context.Context, _ *fflog.FFLogger, events []ffexporter.ExportableEvent) error {
			exported.Add(int64(len(events)))
			return nil
		}), exporter.AsyncOptions{MaxBatches: producers * batches})
		var all sync.WaitGroup
		var taken, refused atomic.Int64
		for range producers {
			all.Go(func() {
				for i := range batches {
					switch err := a.Export(context.Background(), nil, numbered(i, size)); {
					case err == nil:
						taken.Add(size)
					case errors.Is(err, exporter.ErrStopped):
						refused.Add(size)
					default:
						t.Error(err)
					}
					addUp(t, a.Stats())
				}
			})
		}
		for taken.Load() < producers*batches*size/2 {
			runtime.Gosched()
		}
		if err := a.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		all.Wait()
		s := a.Stats()
		wantCounts(t, s, s.Batches, exporter.AsyncCounts{Added: taken.Load(), Handled: taken.Load()})
		if exported.Load() != taken.Load() || s.RefusedEvents != refused.Load() {
			t.Errorf("exported %d of %d, counted %d as refused of %d", exported.Load(), taken.Load(), s.RefusedEvents, refused.Load())
		}
	}
}
