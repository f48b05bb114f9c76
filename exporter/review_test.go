package exporter_test

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"

	"github.com/offlock/offlock/exporter"
)

// The longest Timeout that there is does not overflow into none.
func TestAsyncLongestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		a := newAsync(t, g, exporter.AsyncOptions{Timeout: math.MaxInt64})
		hand(t, a, 0, 1)
		c := <-g.calls
		time.Sleep(time.Hour)
		if s := a.Stats(); s.Hung || s.HungCalls != 0 {
			t.Errorf("a call is counted as hung after an hour of 292 years: %+v", s)
		}
		c.reply <- nil
		if err := a.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// An error of the inner exporter whose methods panic reaches no caller of Stop, whichever of them looks at it.
func TestAsyncStopErrorWhoseMethodsPanic(t *testing.T) {
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			a := newAsync(t, funcSink(func(context.Context, *fflog.FFLogger, []ffexporter.ExportableEvent) error {
				return (*url.Error)(nil)
			}), exporter.AsyncOptions{})
			hand(t, a, 0, 1)
			done, cancel := context.WithCancel(context.Background())
			var all sync.WaitGroup
			for i := range 4 {
				all.Go(func() {
					ctx := context.Background()
					if i == 0 {
						ctx = done
					}
					err := a.Stop(ctx)
					if left, ok := err.(*exporter.StopError); !ok || left.Batches != 1 {
						t.Errorf("Stop: %v, want a batch left", err)
					}
				})
			}
			synctest.Wait()
			cancel()
			all.Wait()
		})
	}
}

// panickingHandler is a logger's.
type panickingHandler struct{ slog.Handler }

func (panickingHandler) Handle(context.Context, slog.Record) error { panic("the log is full") }

// A logger that panics takes its lines with it, and nothing else: of a burst, of a hung call, of a failure.
func TestAsyncLoggerPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := panickingHandler{slog.NewTextHandler(t.Output(), nil)}
		g := newGate()
		a := newAsync(t, g, exporter.AsyncOptions{MaxBatches: 1, MaxAttempts: 2, Timeout: time.Second, Logger: slog.New(handler)})
		hand(t, a, 0, 1)
		c := <-g.calls
		hand(t, a, 1, 1)
		hand(t, a, 2, 1)
		time.Sleep(time.Minute)
		c.reply <- errDown
		(<-g.calls).reply <- errDown
		(<-g.calls).reply <- nil
		if err := a.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		want := exporter.AsyncCounts{Added: 3, Handled: 1, Dropped: 2}
		s := a.Stats()
		wantCounts(t, s, want, want)
		if s.Failures != 2 || s.HungCalls != 1 || s.Panics != 0 {
			t.Errorf("stats: %+v", s)
		}
	})
}

// stoppableV2 has a deprecated interface and a Stop.
type stoppableV2 struct {
	v2
	stops int
}

func (e *stoppableV2) Stop(context.Context) error { e.stops++; return errDown }

// What NewSink makes of an exporter that can be stopped can be stopped, and no other.
func TestNewSinkKeepsStop(t *testing.T) {
	inner := &stoppableV2{v2: v2{export: func(*fflog.FFLogger, []ffexporter.FeatureEvent) error { return nil }}}
	sink, err := exporter.NewSink(inner)
	if err != nil {
		t.Fatal(err)
	}
	a := newAsync(t, sink, exporter.AsyncOptions{})
	if err := a.Export(context.Background(), nil, []ffexporter.ExportableEvent{feature(0), nil, (*ffexporter.FeatureEvent)(nil)}); err != nil {
		t.Fatal(err)
	}
	if err := a.Stop(context.Background()); !errors.Is(err, errDown) || inner.stops != 1 {
		t.Errorf("Stop: %v after %d calls of the inner one, want %v after one", err, inner.stops, errDown)
	}
	if s := a.Stats(); s.SetAside != 2 || s.Events.Handled != 3 {
		t.Errorf("stats: %+v; want 2 of 3 set aside", s)
	}
	sink, err = exporter.NewSink(&inner.v2)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := sink.(interface{ Stop(context.Context) error }); ok {
		t.Error("an exporter without Stop has one")
	}
}
