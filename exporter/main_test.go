package exporter_test

import (
	"context"
	"fmt"
	"testing"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
	"go.uber.org/goleak"

	"github.com/offlock/offlock/exporter"
)

func TestMain(m *testing.M) {
	// The event store of the plain library never ends its clean-up goroutine.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction(
		"github.com/thomaspoignant/go-feature-flag/exporter.(*eventStoreImpl[...]).periodicCleanQueue"))
}

// feature is a numbered feature event.
func feature(n int) ffexporter.FeatureEvent {
	return ffexporter.FeatureEvent{Kind: "feature", UserKey: fmt.Sprint("user-", n), Key: "flag", CreationDate: int64(n)}
}

// numbered makes the events first to first+n-1, in a slice that the caller may spoil.
func numbered(first, n int) []ffexporter.ExportableEvent {
	events := make([]ffexporter.ExportableEvent, n)
	for i := range events {
		events[i] = feature(first + i)
	}
	return events
}

// numbers are the events' numbers.
func numbers(events []ffexporter.ExportableEvent) []int {
	var ns []int
	for _, e := range events {
		ns = append(ns, int(e.GetCreationDate()))
	}
	return ns
}

// received is one call of an inner exporter.
type received struct {
	exporter.Batch
	events []int
	ctx    context.Context
	logger *fflog.FFLogger
	reply  chan<- error
}

// gate is an inner exporter that gives its calls to the test and returns what the test replies.
type gate struct {
	single bool
	calls  chan received
	gone   chan struct{} // closed when nobody replies any more: all calls return nil then
}

func newGate() *gate { return &gate{calls: make(chan received), gone: make(chan struct{})} }

func (g *gate) IsBulk() bool { return !g.single }

func (g *gate) Export(ctx context.Context, logger *fflog.FFLogger, events []ffexporter.ExportableEvent) error {
	reply := make(chan error)
	b, _ := exporter.BatchFrom(ctx)
	ns := numbers(events)
	clear(events) // an inner exporter may spoil its slice
	select {
	case g.calls <- received{b, ns, ctx, logger, reply}:
	case <-g.gone:
		return nil
	}
	select {
	case err := <-reply:
		return err
	case <-g.gone:
		return nil
	}
}

// funcSink is an inner exporter made of a function.
type funcSink func(context.Context, *fflog.FFLogger, []ffexporter.ExportableEvent) error

func (f funcSink) IsBulk() bool { return true }

func (f funcSink) Export(ctx context.Context, logger *fflog.FFLogger, events []ffexporter.ExportableEvent) error {
	return f(ctx, logger, events)
}

// hand hands events over.
func hand(t testing.TB, a *exporter.Async, first, n int) {
	t.Helper()
	events := numbered(first, n)
	if err := a.Export(context.Background(), nil, events); err != nil {
		t.Fatalf("Export: %v", err)
	}
	clear(events) // the library may use its slice again
}

func newAsync(t testing.TB, inner ffexporter.CommonExporter, o exporter.AsyncOptions) *exporter.Async {
	t.Helper()
	a, err := exporter.NewAsync(inner, o)
	if err != nil {
		t.Fatalf("NewAsync: %v", err)
	}
	return a
}

// wantCounts fails the test if the stats do not say so, or do not add up.
func wantCounts(t testing.TB, s exporter.AsyncStats, batches, events exporter.AsyncCounts) {
	t.Helper()
	if s.Batches != batches {
		t.Errorf("batches: %+v, want %+v", s.Batches, batches)
	}
	if s.Events != events {
		t.Errorf("events: %+v, want %+v", s.Events, events)
	}
	addUp(t, s)
}

func addUp(t testing.TB, s exporter.AsyncStats) {
	t.Helper()
	for _, c := range []exporter.AsyncCounts{s.Batches, s.Events} {
		if c.Added != c.Handled+c.Dropped+c.InFlight+c.Waiting {
			t.Errorf("%+v does not add up", c)
		}
	}
}
