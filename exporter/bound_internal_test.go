package exporter

import (
	"context"
	"runtime"
	"testing"
	"weak"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"

	"github.com/offlock/offlock/eventstore"
)

// stuck is an inner exporter that returns when it is told to.
type stuck struct {
	single  bool
	entered chan struct{}
	release chan struct{}
}

func (s *stuck) IsBulk() bool { return !s.single }

func (s *stuck) Export(context.Context, *fflog.FFLogger, []ffexporter.ExportableEvent) error {
	s.entered <- struct{}{}
	<-s.release
	return nil
}

// While the inner exporter is stuck, what was given up does not pile up in the store, and the store drops nothing but that.
func TestAsyncStoreIsBounded(t *testing.T) {
	for _, o := range []AsyncOptions{{MaxBatches: 1}, {}, {MaxBatches: 5000, MaxEvents: 100_000}, {MaxEvents: 12}} {
		for _, single := range []bool{false, true} {
			inner := &stuck{single, make(chan struct{}), make(chan struct{})}
			a, err := NewAsync(inner, o)
			if err != nil {
				t.Fatal(err)
			}
			const handed, size = 6_000, 3
			events := make([]ffexporter.ExportableEvent, size)
			for i := range events {
				events[i] = ffexporter.FeatureEvent{}
			}
			for i := range handed {
				if err := a.Export(context.Background(), nil, events); err != nil {
					t.Fatal(err)
				}
				if i == 0 {
					<-inner.entered
				}
			}
			// What exceeds this is one segment at each end, and the one that holds the batch in flight.
			bound := (a.options.MaxBatches + eventstore.DefaultSegmentSize) / eventstore.DefaultSegmentSize
			before := a.Stats()
			if segments := a.store.Stats().Segments; segments > bound+3 {
				t.Errorf("%+v, single %v: the store has %d segments, want about %d", o, single, segments, bound)
			}
			close(inner.release)
			go func() {
				for range inner.entered {
				}
			}()
			if err := a.Stop(context.Background()); err != nil {
				t.Error(err)
			}
			close(inner.entered)
			after := a.Stats()
			if after.Events.Dropped != before.Events.Dropped || after.Events.Handled+after.Events.Dropped != handed*size ||
				after.Events.Handled != before.Events.Lag() {
				t.Errorf("%+v, single %v: before %+v, after %+v: want all that waited to be handled", o, single, before.Events, after.Events)
			}
		}
	}
}

// A batch that does not return keeps none of those that were handed over after it.
func TestAsyncStuckBatchKeepsNoOther(t *testing.T) {
	inner := &stuck{false, make(chan struct{}), make(chan struct{})}
	a, err := NewAsync(inner, AsyncOptions{MaxBatches: 2})
	if err != nil {
		t.Fatal(err)
	}
	hand := func() {
		if err := a.Export(context.Background(), nil, []ffexporter.ExportableEvent{ffexporter.FeatureEvent{}}); err != nil {
			t.Fatal(err)
		}
	}
	hand()
	<-inner.entered
	for range 2 * eventstore.DefaultSegmentSize { // the store keeps those of the first segment as long as the first one
		hand()
	}
	later := weak.Make(a.queue.oldest) // nobody else uses the queue now
	for range 3 * eventstore.DefaultSegmentSize {
		hand()
	}
	for range 100 {
		if runtime.GC(); later.Value() == nil {
			break
		}
	}
	if later.Value() != nil {
		t.Error("a batch that was dropped long ago is still reachable")
	}
	close(inner.release)
	for range 2 { // those that wait
		<-inner.entered
	}
	if err := a.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

// The memory of a settled batch holds the next one: new pages would cost the caller many times as much as the copy.
func TestAsyncUsesMemoryAgain(t *testing.T) {
	inner := &stuck{false, make(chan struct{}), make(chan struct{})}
	a, err := NewAsync(inner, AsyncOptions{})
	if err != nil {
		t.Fatal(err)
	}
	events := make([]ffexporter.ExportableEvent, 1000)
	for i := range events {
		events[i] = ffexporter.FeatureEvent{}
	}
	var arrays [2]*ffexporter.ExportableEvent
	for i := range arrays {
		if err := a.Export(context.Background(), nil, events); err != nil {
			t.Fatal(err)
		}
		<-inner.entered
		a.mu.Lock()
		arrays[i] = &a.current.events[0]
		a.mu.Unlock()
		inner.release <- struct{}{}
		for spare := 0; spare == 0; runtime.Gosched() {
			a.mu.Lock()
			spare = cap(a.spare)
			a.mu.Unlock()
		}
	}
	if arrays[0] != arrays[1] {
		t.Error("the second batch is not in the memory of the first, which was exported")
	}
	if err := a.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}
