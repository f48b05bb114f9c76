package exporter_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"

	"github.com/offlock/offlock/exporter"
)

var errDown = errors.New("the sink is down")

// faulty is an inner exporter that does something else with the first batch that it gets. Calls do not overlap, so it has
// no lock: the race detector would tell.
type faulty struct {
	single bool
	do     func(f *faulty, attempt int, events []int) error // what it does with the first batch

	first    []int // the first batch
	accepted []int // what has left, in order
}

func (f *faulty) IsBulk() bool { return !f.single }

func (f *faulty) Export(ctx context.Context, _ *fflog.FFLogger, events []ffexporter.ExportableEvent) error {
	b, _ := exporter.BatchFrom(ctx)
	got := numbers(events)
	if f.first == nil {
		f.first = got
	}
	if got[0] == f.first[0] {
		if diff := cmp.Diff(f.first, got); diff != "" {
			return fmt.Errorf("attempt %d is another batch: %s", b.Attempt, diff)
		}
		time.Sleep(time.Second)
		if err := f.do(f, b.Attempt, got); err != nil {
			return err
		}
		got = got[len(f.accepted):]
	}
	f.accepted = append(f.accepted, got...)
	return nil
}

// Each fault holds the first batch up while five others are handed over, two more than may wait.
func TestAsyncFaults(t *testing.T) {
	until := func(last int, then func() error) func(*faulty, int, []int) error {
		return func(_ *faulty, attempt int, _ []int) error {
			if attempt < last {
				return then()
			}
			return nil
		}
	}
	for _, fault := range []struct {
		name    string
		do      func(*faulty, int, []int) error
		options exporter.AsyncOptions
		want    exporter.AsyncStats // but for the events
		lost    bool                // the first batch is
	}{
		{"slow", func(*faulty, int, []int) error { time.Sleep(50 * time.Second); return nil }, exporter.AsyncOptions{},
			exporter.AsyncStats{}, false},
		{"hung", func(*faulty, int, []int) error { time.Sleep(time.Hour); return nil }, exporter.AsyncOptions{},
			exporter.AsyncStats{HungCalls: 1, LastError: exporter.ErrHung}, false},
		{"hung, then failing", until(2, func() error { time.Sleep(time.Hour); return errDown }), exporter.AsyncOptions{},
			exporter.AsyncStats{HungCalls: 1, Failures: 1, LastError: errDown}, false},
		{"failing", until(6, func() error { return errDown }), exporter.AsyncOptions{},
			exporter.AsyncStats{Failures: 5, LastError: errDown}, false},
		{"poisoned", func(*faulty, int, []int) error { return errDown }, exporter.AsyncOptions{MaxAttempts: 3},
			exporter.AsyncStats{Failures: 3, LastError: errDown}, true},
		{"partial", func(f *faulty, _ int, events []int) error {
			if len(f.accepted) == len(events) {
				return nil
			}
			f.accepted = append(f.accepted, events[len(f.accepted)])
			return errDown
		}, exporter.AsyncOptions{}, exporter.AsyncStats{Failures: -1, LastError: errDown}, false},
		{"panicking", until(3, func() error { panic(errDown) }), exporter.AsyncOptions{},
			exporter.AsyncStats{Failures: 2, Panics: 2, LastError: errDown}, false},
		{"ending its goroutine", until(3, func() error { runtime.Goexit(); return nil }), exporter.AsyncOptions{},
			exporter.AsyncStats{Failures: 2}, false},
	} {
		for _, single := range []bool{false, true} {
			for _, full := range []exporter.DropPolicy{exporter.DropOldest, exporter.DropNewest} {
				t.Run(fmt.Sprintf("%s/single=%v/drop=%v", fault.name, single, full), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						fault.options.Full = full
						checkFault(t, &faulty{single: single, do: fault.do}, fault.options, fault.want, fault.lost)
					})
				})
			}
		}
	}
}

func checkFault(t *testing.T, inner *faulty, o exporter.AsyncOptions, want exporter.AsyncStats, lost bool) {
	const size, waiting, more = 10, 3, 5
	o.MaxBatches = waiting
	a := newAsync(t, inner, o)
	hand(t, a, 0, size)
	synctest.Wait() // the inner exporter has the first batch
	for i := range more {
		hand(t, a, size*(i+1), size)
	}
	const added = size * (more + 1)
	counts := exporter.AsyncCounts{Added: added, InFlight: size, Waiting: waiting * size}
	counts.Dropped = added - counts.Lag()
	wantCounts(t, a.Stats(), inBatches(counts, size), counts)

	if err := a.Stop(context.Background()); err != nil {
		t.Errorf("Stop: %v", err)
	}
	var kept []int
	if !lost {
		kept = append(kept, inner.first...)
	} else {
		counts.Dropped += size
	}
	first := size
	if o.Full == exporter.DropOldest {
		first = added - waiting*size
	}
	for i := range waiting * size {
		kept = append(kept, first+i)
	}
	if diff := cmp.Diff(kept, inner.accepted); diff != "" {
		t.Errorf("exported (-want +got):\n%s", diff)
	}
	counts = exporter.AsyncCounts{Added: added, Dropped: counts.Dropped, Handled: added - counts.Dropped}
	got := a.Stats()
	wantCounts(t, got, inBatches(counts, size), counts)

	if want.Failures < 0 { // one an event
		want.Failures = size
	}
	want.Calls = got.Batches.Handled + want.Failures
	if want.LastError != nil && !errors.Is(got.LastError, want.LastError) || want.LastError == nil && want.Failures == 0 && got.LastError != nil {
		t.Errorf("the last error is %v, want %v", got.LastError, want.LastError)
	}
	got.LastError, want.LastError, got.Batches, got.Events = nil, nil, want.Batches, want.Events
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
}

func inBatches(c exporter.AsyncCounts, size int64) exporter.AsyncCounts {
	return exporter.AsyncCounts{
		Added: c.Added / size, Handled: c.Handled / size, Dropped: c.Dropped / size, InFlight: c.InFlight / size, Waiting: c.Waiting / size,
	}
}
