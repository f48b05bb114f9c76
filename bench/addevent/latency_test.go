package addevent

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/bench/internal/measure"
)

const (
	stored    = 1_000_000
	producers = 4
	// rate leaves the producers' cores idle most of the time, and still makes some thousand calls in the shortest window.
	rate = 40_000
	// window is how long the producers run where nothing else ends it.
	window = 250 * time.Millisecond
)

// BenchmarkAddEventFetch is how long calls take while a million stored events are fetched and handed to the exporter: from
// the call that makes the batch full until the sink has it.
func BenchmarkAddEventFetch(b *testing.B) {
	prime(b)
	b.Run(fmt.Sprintf("stored=%d/producers=%d", stored, producers), func(b *testing.B) {
		distribution(b, func(all *measure.Latencies) (delivered, added int) { return fetch(b, all) })
	})
}

func fetch(b *testing.B, all *measure.Latencies) (delivered, added int) {
	s := newSink()
	manager := newManager(stored, never, s)
	fill(manager, stored-1)
	offered := measure.Offer(producers, rate, manager.AddEvent)
	s.await(b, stored-1)
	added = stored - 1 + stop(b, offered, all)
	manager.Stop()
	return int(s.received.Load()), added
}

// BenchmarkAddEventBlocked is how long calls take while the exporter does not return, at each moment of a manager's life, and
// while it has nothing to do.
func BenchmarkAddEventBlocked(b *testing.B) {
	prime(b)
	for _, moment := range []struct {
		exporter string
		stored   int
		failures int64 // before the call that does not return
		stopping bool
	}{
		{exporter: "blocked-in-its-first-call", stored: 10_000},
		{exporter: "blocked", stored: stored},
		{exporter: "blocked-in-a-retry", stored: stored, failures: 1},
		{exporter: "blocked-while-stopping", stored: stored, stopping: true},
	} {
		b.Run(fmt.Sprintf("exporter=%s/stored=%d/producers=%d", moment.exporter, moment.stored, producers), func(b *testing.B) {
			distribution(b, func(all *measure.Latencies) (delivered, added int) {
				s := newSink()
				s.release = make(chan struct{})
				s.failures.Store(moment.failures)
				manager := newManager(int64(moment.stored), never, s)
				fill(manager, moment.stored-1)
				var others sync.WaitGroup
				due := 1 + int(moment.failures)
				others.Go(func() { fill(manager, due) }) // may wait for the export that it sets off
				<-s.entered
				if moment.stopping {
					others.Go(manager.Stop)
				}
				offered := measure.Offer(producers, rate, manager.AddEvent)
				time.Sleep(window)
				close(s.release)
				added = moment.stored - 1 + due + stop(b, offered, all)
				others.Wait()
				manager.Stop()
				return int(s.received.Load()), added
			})
		})
	}
	b.Run(fmt.Sprintf("exporter=idle/stored=%d/producers=%d", stored, producers), func(b *testing.B) {
		distribution(b, func(all *measure.Latencies) (delivered, added int) {
			s := newSink()
			manager := newManager(4*stored, never, s)
			fill(manager, stored)
			offered := measure.Offer(producers, rate, manager.AddEvent)
			time.Sleep(window)
			added = stored + stop(b, offered, all)
			manager.Stop()
			return int(s.received.Load()), added
		})
	})
}

// BenchmarkAddEventSlow is how long calls take, and which part of them can be made at all, at 100,000 a second with an
// exporter that takes 200 ms for the 20,000 events that come in meanwhile.
func BenchmarkAddEventSlow(b *testing.B) {
	b.Run("export=200ms/flush=20000/offered=100000/producers=8", func(b *testing.B) {
		measure.Warm()
		distribution(b, func(all *measure.Latencies) (delivered, added int) {
			s := newSink()
			s.delay = 200 * time.Millisecond
			manager := newManager(20_000, never, s)
			offered := measure.Offer(8, 100_000, manager.AddEvent)
			time.Sleep(10 * s.delay)
			added = stop(b, offered, all)
			manager.Stop()
			return int(s.received.Load()), added
		})
	})
}

// prime has the heap grow to what a million events and a fetch of them take, which differs between the arms, so that the first
// touch of its pages does not count.
func prime(b *testing.B) {
	measure.Warm()
	fetch(b, measure.NewLatencies())
	runtime.GC()
}

// distribution runs a scene until the time of the benchmark is over and reports the latencies of all.
func distribution(b *testing.B, scene func(*measure.Latencies) (delivered, added int)) {
	all := measure.NewLatencies()
	delivered, added := 0, 0
	for b.Loop() {
		d, a := scene(all)
		delivered, added = delivered+d, added+a
	}
	all.Report(b)
	measure.ReportDelivered(b, delivered, added)
}

func stop(b *testing.B, offered *measure.Producers, all *measure.Latencies) (added int) {
	b.Helper()
	latencies, err := offered.Stop()
	if err != nil {
		b.Fatal(err)
	}
	all.Merge(latencies)
	return latencies.Added()
}

func fill(manager exporter.Manager[measure.Event], n int) {
	event := measure.NewEvent()
	for range n {
		manager.AddEvent(event)
	}
}
