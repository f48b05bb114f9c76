package exporter_test

import (
	"context"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"

	"github.com/offlock/offlock/exporter"
)

// newManager makes the part of the library that has an exporter called: at every maxEvents events, and at Stop.
func newManager[T ffexporter.ExportableEvent](inner ffexporter.CommonExporter, maxEvents int64) ffexporter.Manager[T] {
	m := ffexporter.NewManager[T]([]ffexporter.Config{{Exporter: inner, FlushInterval: time.Hour, MaxEventInMemory: maxEvents}}, time.Hour, nil)
	m.Start()
	return m
}

// While the exporter is blocked, its callers go on: everywhere, down to Stop. By itself, the exporter keeps the library's
// caller in the call of AddEvent that reached the threshold.
func TestLibraryCallerNeverWaits(t *testing.T) {
	const batches, perBatch = 5, 10
	add := func(m ffexporter.Manager[ffexporter.FeatureEvent], returned *atomic.Int64) <-chan struct{} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			for i := range batches * perBatch {
				m.AddEvent(feature(i))
				returned.Add(1)
			}
		}()
		return done
	}
	t.Run("plain", func(t *testing.T) {
		g := newGate()
		m := newManager[ffexporter.FeatureEvent](g, perBatch)
		var returned atomic.Int64
		done := add(m, &returned)
		for batch := range int64(batches) {
			c := <-g.calls
			// Nothing can change this before the reply, so one look is enough.
			if n := returned.Load(); n != perBatch*(batch+1)-1 {
				t.Errorf("%d calls have returned while batch %d is being exported, want %d", n, batch, perBatch*(batch+1)-1)
			}
			c.reply <- nil
		}
		<-done
		m.Stop()
	})
	t.Run("async", func(t *testing.T) {
		g := newGate()
		a := newAsync(t, g, exporter.AsyncOptions{MaxBatches: 1000})
		m := newManager[ffexporter.FeatureEvent](a, perBatch)
		var returned atomic.Int64
		done := add(m, &returned)
		c := <-g.calls // is blocked until everybody has returned
		<-done
		const callers, each = 4, 50
		var all sync.WaitGroup
		for caller := range callers {
			all.Go(func() {
				for i := range each {
					m.AddEvent(feature(1000 + caller*each + i))
					returned.Add(1)
				}
			})
		}
		all.Wait()
		m.Stop()
		const total = batches*perBatch + callers*each
		if n := returned.Load(); n != total {
			t.Errorf("%d of %d calls have returned", n, total)
		}
		s := a.Stats()
		if s.Calls != 1 || s.Batches.Handled != 0 || s.Events.Added != total || s.Events.InFlight != int64(len(c.events)) {
			t.Errorf("while the exporter is blocked: %+v; want 1 call, %d events, none handled", s, total)
		}
		seen := map[int]int{}
		stopped := make(chan error)
		go func() { stopped <- a.Stop(context.Background()) }()
		for next := int64(0); ; {
			for _, n := range c.events {
				seen[n]++
			}
			if c.First != next || c.Last != next+int64(len(c.events))-1 {
				t.Errorf("a batch has offsets %d to %d, %d events, want the first to be %d", c.First, c.Last, len(c.events), next)
			}
			next = c.Last + 1
			c.reply <- nil
			if next == total {
				break
			}
			c = <-g.calls
		}
		if err := <-stopped; err != nil {
			t.Errorf("Stop: %v", err)
		}
		for n, times := range seen {
			if times != 1 {
				t.Errorf("event %d arrived %d times", n, times)
			}
		}
		if len(seen) != total {
			t.Errorf("%d events arrived, want %d", len(seen), total)
		}
	})
}

// users counts how often the events of each user arrived.
type users struct {
	counts  map[string]int
	batches []int // their sizes
}

func (u *users) add(key string) {
	if u.counts == nil {
		u.counts = map[string]int{}
	}
	u.counts[key]++
}

// once fails the test unless each of n users has one event.
func (u *users) once(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		if got := u.counts[fmt.Sprint("user-", i)]; got != 1 {
			t.Errorf("user %d has %d events, want 1", i, got)
		}
	}
	if len(u.counts) != n {
		t.Errorf("events of %d users arrived, want %d", len(u.counts), n)
	}
}

// Every event arrives once at an exporter of each kind, through the library, after failures.
func TestLibraryEveryKindOfExporter(t *testing.T) {
	const events = 103
	for _, test := range []struct {
		name  string
		inner func(*users) ffexporter.CommonExporter
		check func(*testing.T, exporter.AsyncStats)
	}{
		{"deprecated V1", func(u *users) ffexporter.CommonExporter {
			return &v1{export: func(l *log.Logger, events []ffexporter.FeatureEvent) error {
				l.Print("called")
				return u.export(events)
			}}
		}, wantBatches(11, 1)},
		{"deprecated V2", func(u *users) ffexporter.CommonExporter {
			return &v2{export: func(_ *fflog.FFLogger, events []ffexporter.FeatureEvent) error { return u.export(events) }}
		}, wantBatches(11, 1)},
		{"current", func(u *users) ffexporter.CommonExporter {
			return funcSink(func(_ context.Context, _ *fflog.FFLogger, events []ffexporter.ExportableEvent) error {
				var features []ffexporter.FeatureEvent
				for _, e := range events {
					features = append(features, e.(ffexporter.FeatureEvent))
				}
				return u.export(features)
			})
		}, wantBatches(11, 1)},
		{"not bulk", func(u *users) ffexporter.CommonExporter {
			return &singleFunc{export: func(events []ffexporter.ExportableEvent) error {
				var features []ffexporter.FeatureEvent
				for _, e := range events {
					features = append(features, e.(ffexporter.FeatureEvent))
				}
				return u.export(features)
			}}
		}, wantBatches(11, 1)},
	} {
		t.Run(test.name, func(t *testing.T) {
			var u users
			a := newAsync(t, test.inner(&u), exporter.AsyncOptions{MaxBatches: events, BackoffBase: 1, BackoffCap: 1})
			m := newManager[ffexporter.FeatureEvent](a, 10)
			for i := range events {
				m.AddEvent(feature(i))
			}
			m.Stop()
			if err := a.Stop(context.Background()); err != nil {
				t.Errorf("Stop: %v", err)
			}
			u.once(t, events)
			test.check(t, a.Stats())
		})
	}
}

// export takes a batch, but the first time it is called.
func (u *users) export(events []ffexporter.FeatureEvent) error {
	u.batches = append(u.batches, len(events))
	if len(u.batches) == 1 {
		return errDown
	}
	for _, e := range events {
		u.add(e.UserKey)
	}
	return nil
}

// wantBatches checks how many batches an exporter got.
func wantBatches(batches, failures int64) func(*testing.T, exporter.AsyncStats) {
	return func(t *testing.T, s exporter.AsyncStats) {
		t.Helper()
		addUp(t, s)
		if s.Batches.Handled != batches || s.Failures != failures || s.Batches.Lag() != 0 || s.Batches.Dropped != 0 {
			t.Errorf("stats: %+v, want %d batches handled and %d failures", s, batches, failures)
		}
	}
}

// singleFunc is an exporter that is not bulk, made of a function.
type singleFunc struct {
	single
	export func([]ffexporter.ExportableEvent) error
}

func (s *singleFunc) Export(_ context.Context, _ *fflog.FFLogger, events []ffexporter.ExportableEvent) error {
	return s.export(events)
}

// Tracking events of the library arrive, too.
func TestLibraryTracking(t *testing.T) {
	const events = 25
	var u users
	a := newAsync(t, funcSink(func(_ context.Context, _ *fflog.FFLogger, events []ffexporter.ExportableEvent) error {
		for _, e := range events {
			u.add(e.(ffexporter.TrackingEvent).UserKey)
		}
		return nil
	}), exporter.AsyncOptions{})
	m := newManager[ffexporter.TrackingEvent](a, 10)
	for i := range events {
		m.AddEvent(ffexporter.TrackingEvent{Kind: "tracking", UserKey: fmt.Sprint("user-", i)})
	}
	m.Stop()
	if err := a.Stop(context.Background()); err != nil {
		t.Errorf("Stop: %v", err)
	}
	u.once(t, events)
}
