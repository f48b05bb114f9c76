package measure

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// Chunk is how many events are added before a queue is emptied. A queue under [Fill] must have room for as many.
const Chunk = 50_000

// Queue is what [Fill] measures.
type Queue struct {
	// Add adds the event n times. It is called by all goroutines at the same time. The loop is the queue's own, so that what is
	// measured has no call of the harness in it, which costs a copy of the event each time.
	Add func(event Event, n int)
	// Drain empties the queue, ready for the next chunk, and returns how many events came out of it since the last call. It is
	// called off the clock, while nobody adds.
	Drain func() int
}

// Prime fills and empties a queue some times, so that [Fill] finds its memory touched. Call it once a queue: a benchmark
// function with sub-benchmarks runs once, and one without them runs for every b.N that the testing package tries.
func Prime(q Queue) {
	Warm()
	const enough = 3 // the largest ring among the queues has room for less than that
	event := NewEvent()
	for range enough {
		q.Add(event, Chunk)
		q.Drain()
	}
}

// Fill has the goroutines add b.N events together, in chunks, and measures that: one operation is one event. What goes on in
// the background of a queue meanwhile is part of it; the rest of its work is off the clock. Reported beside: delivered-%.
func Fill(b *testing.B, goroutines int, q Queue) {
	b.ReportAllocs()
	b.ResetTimer()
	b.StopTimer()
	ReportDelivered(b, fill(b, goroutines, b.N, q), b.N)
}

// clock is what of a *testing.B has to do with time.
type clock interface {
	StartTimer()
	StopTimer()
}

// fill adds n events in chunks and returns how many came out. The clock must stand still.
func fill(c clock, goroutines, n int, q Queue) (delivered int) {
	for left := n; left > 0; left -= min(left, Chunk) {
		add(c, goroutines, min(left, Chunk), q.Add)
		delivered += q.Drain()
	}
	return delivered
}

// add has the goroutines add n events. The clock runs from when all of them are there to when the last one is done.
func add(c clock, goroutines, n int, add func(Event, int)) {
	event := NewEvent()
	if goroutines == 1 { // needs no other goroutine, whose start would count
		c.StartTimer()
		add(event, n)
		c.StopTimer()
		return
	}
	var (
		there, done sync.WaitGroup
		started     atomic.Bool
	)
	there.Add(goroutines)
	for i := range goroutines {
		share := n*(i+1)/goroutines - n*i/goroutines
		done.Go(func() {
			there.Done()
			// Not a channel: the cores would have to be woken up, and the first goroutines be done before the last ones run.
			for !started.Load() {
				runtime.Gosched()
			}
			add(event, share)
		})
	}
	there.Wait()
	c.StartTimer()
	started.Store(true)
	done.Wait()
	c.StopTimer()
}

// ReportDelivered reports the part of the added events that came out: 100 is all of them.
func ReportDelivered(b *testing.B, delivered, added int) {
	b.ReportMetric(100*float64(delivered)/float64(added), "delivered-%")
}
