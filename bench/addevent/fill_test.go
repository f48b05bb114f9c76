package addevent

import (
	"fmt"
	"testing"

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
			{"never", 2 * measure.Chunk},
			{"10000", 10_000},
		} {
			b.Run(fmt.Sprintf("exporters=%d/flush=%s", exporters, flush.name), func(b *testing.B) {
				m := &refilled{exporters: exporters, maxPending: flush.maxPending}
				m.open()
				defer func() { m.manager.Stop() }()
				q := measure.Queue{Add: m.add, Drain: m.drain}
				measure.Prime(q)
				for _, goroutines := range []int{1, 64} {
					b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) { measure.Fill(b, goroutines, q) })
				}
			})
		}
	}
}

// refilled is a manager that is replaced when it is emptied. The releases keep exported events for up to a minute, and look
// at all of them in every flush: with one manager, an event would cost the more the longer the benchmark runs.
type refilled struct {
	exporters  int
	maxPending int64

	manager exporter.Manager[measure.Event]
	sinks   []*sink
}

func (m *refilled) open() {
	m.sinks = nil
	for range m.exporters {
		m.sinks = append(m.sinks, newSink())
	}
	m.manager = newManager(m.maxPending, m.sinks...)
}

func (m *refilled) add(event measure.Event) { m.manager.AddEvent(event) }

// drain returns how many events came out of the sink that got the fewest.
func (m *refilled) drain() int {
	m.manager.Stop()
	least := m.sinks[0].received.Load()
	for _, s := range m.sinks {
		least = min(least, s.received.Load())
	}
	m.open()
	return int(least)
}
