package addevent

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"

	"github.com/offlock/offlock/bench/internal/measure"
)

// never is an interval at which nothing happens during a benchmark.
const never = time.Hour

// sink is an exporter that counts. The zero value takes no time.
type sink struct {
	delay   time.Duration
	release chan struct{} // if not nil: the calls return when it is closed

	failures atomic.Int64 // how many calls fail before that

	received atomic.Int64
	once     sync.Once
	entered  chan struct{} // closed when the first call that does not fail has begun; made by newSink
	changed  chan struct{} // holds one signal that received was changed
}

func newSink() *sink {
	return &sink{entered: make(chan struct{}), changed: make(chan struct{}, 1)}
}

func (s *sink) IsBulk() bool { return true }

func (s *sink) Export(_ context.Context, _ *fflog.FFLogger, events []exporter.ExportableEvent) error {
	if s.failures.Add(-1) >= 0 {
		return errors.New("the sink is not well")
	}
	s.once.Do(func() { close(s.entered) })
	time.Sleep(s.delay)
	if s.release != nil {
		<-s.release
	}
	s.received.Add(int64(len(events)))
	select {
	case s.changed <- struct{}{}:
	default: // a signal waits already
	}
	return nil
}

// await waits until n events were received.
func (s *sink) await(b *testing.B, n int) {
	b.Helper()
	if !s.gets(n, time.Minute) {
		b.Fatalf("%d of %d events were exported after a minute", s.received.Load(), n)
	}
}

// gets says whether n events are received in the time.
func (s *sink) gets(n int, within time.Duration) bool {
	late := time.After(within)
	for s.received.Load() < int64(n) {
		select {
		case <-s.changed:
		case <-late:
			return false
		}
	}
	return true
}

// newManager makes a started manager that flushes each sink when max events are pending, and at no other time, and that
// forgets what was exported at an interval.
func newManager(maxPending int64, forget time.Duration, sinks ...*sink) exporter.Manager[measure.Event] {
	configs := make([]exporter.Config, len(sinks))
	for i, s := range sinks {
		configs[i] = exporter.Config{Exporter: s, FlushInterval: never, MaxEventInMemory: maxPending}
	}
	manager := exporter.NewManager[measure.Event](configs, forget, nil)
	manager.Start()
	return manager
}
