package addevent

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/bench/internal/measure"
)

// BenchmarkAddEvent is the cost of a call, with sinks that take no time: without a flush while the clock runs, and with one
// every 10,000 events.
func BenchmarkAddEvent(b *testing.B) {
	for _, exporters := range []int{1, 3} {
		for _, flush := range []struct {
			name       string
			maxPending int64
		}{
			{"never", measure.Chunk + 1},
			{"10000", 10_000},
		} {
			b.Run(fmt.Sprintf("exporters=%d/flush=%s", exporters, flush.name), func(b *testing.B) {
				m := newLasting(b, exporters, flush.maxPending)
				defer m.manager.Stop()
				q := measure.Queue{Add: m.add, Drain: m.drain}
				measure.Prime(q)
				for _, goroutines := range []int{1, 64} {
					b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) { measure.Fill(b, goroutines, q) })
				}
			})
		}
	}
}

// forget is how often the releases look for events that every exporter has had. They keep them until then, a minute by
// default, and look at all that they keep in each flush: without this an event would cost the more the longer a benchmark runs.
const forget = 20 * time.Millisecond

// lasting is a manager that lives as long as the benchmark, as that of a service does. It is emptied off the clock by as many
// more events as make its exporters due.
type lasting struct {
	b          *testing.B
	manager    exporter.Manager[measure.Event]
	sinks      []*sink
	maxPending int64
	measured   atomic.Int64 // added since the last drain
	added      int64        // up to the last drain, and by it
}

// newLasting returns one whose exporters have all been called once. Until then the releases delete what waits for an exporter
// when they clean up after another one; if that happens, it begins again.
func newLasting(b *testing.B, exporters int, maxPending int64) *lasting {
	for {
		m := &lasting{b: b, maxPending: maxPending, added: maxPending}
		for range exporters {
			m.sinks = append(m.sinks, newSink())
		}
		m.manager = newManager(maxPending, forget, m.sinks...)
		fill(m.manager, int(maxPending))
		all := true
		for _, s := range m.sinks {
			all = all && s.gets(int(maxPending), time.Second)
		}
		if all {
			return m
		}
		m.manager.Stop()
	}
}

func (m *lasting) add(event measure.Event, n int) {
	manager := m.manager
	for range n {
		manager.AddEvent(event)
	}
	m.measured.Add(int64(n))
}

// drain returns how many events were measured, once all sinks have received all events.
func (m *lasting) drain() int {
	measured := m.measured.Swap(0)
	m.added += measured
	all, event := m.added, measure.NewEvent()
	for _, s := range m.sinks {
		// What waits for a flush: those that are being flushed are a multiple of maxPending on the fork, and none elsewhere.
		waiting := (m.added - s.received.Load()) % m.maxPending
		for s.received.Load() < all && waiting > 0 && waiting < m.maxPending {
			m.manager.AddEvent(event)
			m.added++
			waiting++
		}
		s.await(m.b, int(all))
	}
	return int(measured)
}
