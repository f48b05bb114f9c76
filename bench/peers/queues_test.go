package peers

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/puzpuzpuz/xsync/v4"

	"github.com/offlock/offlock/bench/internal/measure"
)

// mutexSlice is the simplest queue that is right.
func mutexSlice(testing.TB) measure.Queue {
	var mu sync.Mutex
	events := make([]measure.Event, 0, room)
	return measure.Queue{
		Add: func(e measure.Event, n int) {
			for range n {
				mu.Lock()
				events = append(events, e)
				mu.Unlock()
			}
		},
		Drain: func() int {
			n := len(events)
			clear(events)
			events = events[:0]
			return n
		},
	}
}

// atomicAdd stores nothing: it is the least that goroutines on several cores can do together.
func atomicAdd(testing.TB) measure.Queue {
	var n atomic.Int64
	return measure.Queue{
		Add: func(_ measure.Event, times int) {
			for range times {
				n.Add(1)
			}
		},
		Drain: func() int { return int(n.Swap(0)) },
	}
}

// channel drops what finds no room; there is room.
func channel(testing.TB) measure.Queue {
	events := make(chan measure.Event, room)
	return measure.Queue{
		Add: func(e measure.Event, n int) {
			for range n {
				select {
				case events <- e:
				default:
				}
			}
		},
		Drain: func() int {
			n := len(events)
			for range n {
				<-events
			}
			return n
		},
	}
}

func xsyncMPMC(testing.TB) measure.Queue {
	events := xsync.NewMPMCQueue[measure.Event](room)
	return measure.Queue{
		Add: func(e measure.Event, n int) {
			for range n {
				for !events.TryEnqueue(e) { // it has room, but lost against another goroutine
					runtime.Gosched()
				}
			}
		},
		Drain: func() int {
			n := 0
			for {
				if _, ok := events.TryDequeue(); !ok {
					return n
				}
				n++
			}
		},
	}
}

// xsyncUMPSC has no length and waits when it is empty, so its consumer is told by a last event, which has no key, to stop.
func xsyncUMPSC(testing.TB) measure.Queue {
	events := xsync.NewUMPSCQueue[measure.Event]()
	return measure.Queue{
		Add: func(e measure.Event, n int) {
			for range n {
				events.Enqueue(e)
			}
		},
		Drain: func() int {
			events.Enqueue(measure.Event{})
			n := 0
			for events.Dequeue().Key != "" {
				n++
			}
			return n
		},
	}
}
