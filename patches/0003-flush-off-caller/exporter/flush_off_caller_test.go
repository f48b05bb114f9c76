//go:build ignore

package exporter_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

const (
	// flushTestGuard bounds the waits of these tests: it only elapses where an operation is stuck.
	flushTestGuard = 5 * time.Second
	// flushTestNever is a flush interval that no test lives to see.
	flushTestNever = time.Hour
)

// heldExporter does not return from Export before it is released.
type heldExporter struct {
	bulk     bool
	begun    chan struct{} // closed when the first Export has begun
	released chan struct{}

	begin, release sync.Once

	mutex    sync.Mutex
	failures int // how many calls are still to fail
	running  int
	exported []string
}

func newHeldExporter(t *testing.T, bulk bool) *heldExporter {
	e := &heldExporter{bulk: bulk, begun: make(chan struct{}), released: make(chan struct{})}
	t.Cleanup(e.letGo)
	return e
}

func (e *heldExporter) IsBulk() bool { return e.bulk }

func (e *heldExporter) Export(_ context.Context, _ *fflog.FFLogger, events []exporter.ExportableEvent) error {
	e.count(1)
	defer e.count(-1)
	e.begin.Do(func() { close(e.begun) })
	<-e.released

	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.failures > 0 {
		e.failures--
		return errors.New("sink is down")
	}
	for _, event := range events {
		e.exported = append(e.exported, event.GetKey())
	}
	return nil
}

func (e *heldExporter) count(delta int) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.running += delta
}

// letGo releases this Export and all that follow.
func (e *heldExporter) letGo() { e.release.Do(func() { close(e.released) }) }

func (e *heldExporter) keys() []string {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	return append([]string(nil), e.exported...)
}

func (e *heldExporter) manager(flushInterval time.Duration, threshold int64) exporter.Manager[exporter.FeatureEvent] {
	return exporter.NewManager[exporter.FeatureEvent](
		[]exporter.Config{{Exporter: e, FlushInterval: flushInterval, MaxEventInMemory: threshold}},
		exporter.DefaultExporterCleanQueueInterval, nil)
}

// inBackground runs what might wait for an export, and tells when it has returned.
func inBackground(do func()) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	return done
}

func requireSoon(t *testing.T, event <-chan struct{}, message string) {
	t.Helper()
	select {
	case <-event:
	case <-time.After(flushTestGuard):
		require.Fail(t, message)
	}
}

func TestManager_AddEventDoesNotWaitForTheExport(t *testing.T) {
	t.Parallel()
	const producers, perProducer = 8, 50
	start := map[string]func(exporter.Manager[exporter.FeatureEvent]){
		"started":               func(dc exporter.Manager[exporter.FeatureEvent]) { dc.Start() },
		"started in background": func(dc exporter.Manager[exporter.FeatureEvent]) { go dc.Start() },
		"never started":         func(exporter.Manager[exporter.FeatureEvent]) {},
	}
	for name, start := range start {
		for _, bulk := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, bulk %t", name, bulk), func(t *testing.T) {
				t.Parallel()
				held := newHeldExporter(t, bulk)
				dc := held.manager(flushTestNever, 10)
				start(dc)

				added := inBackground(func() {
					var wg sync.WaitGroup
					for p := range producers {
						wg.Go(func() {
							for i := range perProducer {
								dc.AddEvent(exporter.FeatureEvent{Key: fmt.Sprintf("%d/%d", p, i)})
							}
						})
					}
					wg.Wait()
				})
				requireSoon(t, held.begun, "the export never began")
				requireSoon(t, added, "AddEvent waits for the export")
				assert.Empty(t, held.keys(), "no export has returned yet")

				held.letGo()
				dc.Stop()
				got := held.keys()
				require.Len(t, got, producers*perProducer, "events lost or repeated")
				next := make(map[string]int, producers)
				for _, key := range got {
					producer, _, _ := strings.Cut(key, "/")
					require.Equal(t, fmt.Sprintf("%s/%d", producer, next[producer]), key, "order of a producer")
					next[producer]++
				}
			})
		}
	}
}

// An event that is added while a flush is under way is flushed right after it: no other event, tick or Stop is needed.
func TestManager_EventAddedDuringAFlushIsFlushedNext(t *testing.T) {
	t.Parallel()
	for _, bulk := range []bool{true, false} {
		t.Run(fmt.Sprintf("bulk %t", bulk), func(t *testing.T) {
			t.Parallel()
			held := newHeldExporter(t, bulk)
			dc := held.manager(flushTestNever, 1)
			dc.Start()
			defer dc.Stop()
			defer held.letGo()

			inBackground(func() { dc.AddEvent(exporter.FeatureEvent{Key: "first"}) })
			requireSoon(t, held.begun, "the export never began")
			requireSoon(t, inBackground(func() { dc.AddEvent(exporter.FeatureEvent{Key: "second"}) }),
				"AddEvent waits for the export")
			held.letGo()
			require.Eventually(t, func() bool { return len(held.keys()) == 2 }, flushTestGuard, 20*time.Millisecond)
			assert.Equal(t, []string{"first", "second"}, held.keys())
		})
	}
}

// A failed flush is tried again at the next tick, without waiting for another event.
func TestManager_FailedFlushIsTriedAgainAtTheTick(t *testing.T) {
	t.Parallel()
	for _, bulk := range []bool{true, false} {
		t.Run(fmt.Sprintf("bulk %t", bulk), func(t *testing.T) {
			t.Parallel()
			held := newHeldExporter(t, bulk)
			held.failures = 1
			held.letGo()
			dc := held.manager(20*time.Millisecond, 1)
			dc.Start()
			defer dc.Stop()

			dc.AddEvent(exporter.FeatureEvent{Key: "only"})
			require.Eventually(t, func() bool { return len(held.keys()) == 1 }, flushTestGuard, 20*time.Millisecond,
				"nothing tries again")
		})
	}
}

// Stop returns when the flush that it found under way, and the one that it does itself, are over.
func TestManager_StopWaitsForTheLastFlush(t *testing.T) {
	t.Parallel()
	for _, bulk := range []bool{true, false} {
		t.Run(fmt.Sprintf("bulk %t", bulk), func(t *testing.T) {
			t.Parallel()
			held := newHeldExporter(t, bulk)
			dc := held.manager(flushTestNever, 2)
			dc.Start()

			inBackground(func() {
				dc.AddEvent(exporter.FeatureEvent{Key: "first"})
				dc.AddEvent(exporter.FeatureEvent{Key: "second"})
			})
			requireSoon(t, held.begun, "the export never began")
			requireSoon(t, inBackground(func() { dc.AddEvent(exporter.FeatureEvent{Key: "third"}) }),
				"AddEvent waits for the export")
			stopped := inBackground(dc.Stop)
			held.letGo()
			requireSoon(t, stopped, "Stop never returned")

			held.mutex.Lock()
			defer held.mutex.Unlock()
			assert.Zero(t, held.running, "Stop returned before the last Export")
			assert.Equal(t, []string{"first", "second", "third"}, held.exported)
		})
	}
}

func TestManager_OneGoroutineAConsumer(t *testing.T) {
	for _, bulk := range []bool{true, false} {
		t.Run(fmt.Sprintf("bulk %t", bulk), func(t *testing.T) {
			before := consumerGoroutines()
			held := newHeldExporter(t, bulk)
			dc := held.manager(flushTestNever, 1)
			requireSoon(t, inBackground(func() {
				dc.Start()
				dc.Start()
				dc.AddEvent(exporter.FeatureEvent{Key: "first"})
				dc.AddEvent(exporter.FeatureEvent{Key: "second"})
			}), "AddEvent waits for the export")
			requireSoon(t, held.begun, "the export never began")
			assert.Equal(t, before+1, consumerGoroutines())

			held.letGo()
			dc.Stop()
			assert.LessOrEqual(t, consumerGoroutines(), before, "the goroutine has outlived Stop")
		})
	}
}

// heldStore counts the flushes, and holds the first one until it is released. It does not keep them apart.
type heldStore struct {
	exporter.EventStore[exporter.FeatureEvent]
	calls           atomic.Int64
	begun, released chan struct{}
}

func (s *heldStore) ProcessPendingEvents(string, func(context.Context, []exporter.FeatureEvent) error) error {
	if s.calls.Add(1) == 1 {
		close(s.begun)
		<-s.released
	}
	return nil
}

// Stop itself waits for the goroutine before it flushes; it does not leave that to the store.
func TestDataExporter_StopWaitsForTheGoroutine(t *testing.T) {
	for _, bulk := range []bool{true, false} {
		t.Run(fmt.Sprintf("bulk %t", bulk), func(t *testing.T) {
			store := &heldStore{begun: make(chan struct{}), released: make(chan struct{})}
			consumer := newConsumer(exporter.Config{Exporter: newHeldExporter(t, bulk), FlushInterval: time.Millisecond}, store)
			letGo := sync.OnceFunc(func() { close(store.released) })
			defer letGo()
			inBackground(consumer.Start)
			requireSoon(t, store.begun, "no flush at the tick")

			stopped := inBackground(consumer.Stop)
			require.Eventually(t, func() bool {
				return store.calls.Load() > 1 || len(stacksWith("exporter.(*flushLoop).join")) > 0
			}, flushTestGuard, 20*time.Millisecond)
			assert.Equal(t, int64(1), store.calls.Load(), "Stop flushes while the goroutine does")
			letGo()
			requireSoon(t, stopped, "Stop never returned")
			assert.Equal(t, int64(2), store.calls.Load(), "flushes: that of the tick, and the last one")
		})
	}
}

// What comes after Stop waits for another Stop: no goroutine is launched for it.
func TestManager_NothingIsExportedAfterStop(t *testing.T) {
	for _, bulk := range []bool{true, false} {
		t.Run(fmt.Sprintf("bulk %t", bulk), func(t *testing.T) {
			before := consumerGoroutines()
			for i := range 40 { // a goroutine that is launched in error may see the stop before the request
				held := newHeldExporter(t, bulk)
				held.letGo()
				dc := held.manager(flushTestNever, 1)
				if i%2 == 0 {
					dc.Start()
				}
				dc.Stop()
				dc.Start()
				dc.AddEvent(exporter.FeatureEvent{Key: "late"})
				requireConsumerGoroutines(t, before)
				require.Empty(t, held.keys())
				dc.Stop()
				require.Len(t, held.keys(), 1)
			}
		})
	}
}

// Start, Stop and AddEvent may come in any order and at the same time, each more than once.
func TestManager_StopInAnyOrder(t *testing.T) {
	event := exporter.FeatureEvent{Key: "event"}
	type manager = exporter.Manager[exporter.FeatureEvent]
	tests := []struct {
		name string
		do   func(t *testing.T, dc manager)
		want int // events exported when do and one more Stop have returned
	}{
		{name: "Stop alone", do: func(_ *testing.T, dc manager) { dc.Stop() }},
		{name: "Stop before Start", do: func(_ *testing.T, dc manager) { dc.Stop(); dc.Start() }},
		{name: "Stop twice", do: func(_ *testing.T, dc manager) {
			dc.Start()
			dc.AddEvent(event)
			dc.Stop()
			dc.Stop()
		}, want: 1},
		{name: "Stop without Start", do: func(_ *testing.T, dc manager) { dc.AddEvent(event); dc.Stop() }, want: 1},
		{name: "AddEvent after Stop", do: func(_ *testing.T, dc manager) {
			dc.Start()
			dc.Stop()
			dc.AddEvent(event)
		}, want: 1},
		{name: "all at once", do: func(t *testing.T, dc manager) {
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(dc.Start)
				wg.Go(func() { assert.NotPanics(t, dc.Stop) })
				wg.Go(func() { dc.AddEvent(event) })
			}
			wg.Wait()
		}, want: 4},
	}
	for _, tt := range tests {
		for _, bulk := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, bulk %t", tt.name, bulk), func(t *testing.T) {
				before := consumerGoroutines()
				held := newHeldExporter(t, bulk)
				held.letGo()
				dc := held.manager(flushTestNever, 2)
				requireSoon(t, inBackground(func() {
					assert.NotPanics(t, func() { tt.do(t, dc) })
					assert.NotPanics(t, dc.Stop)
				}), "stuck")
				assert.Len(t, held.keys(), tt.want)
				requireConsumerGoroutines(t, before)
			})
		}
	}
}

// consumerGoroutines counts the goroutines that are running code of a consumer, or that wait to.
func consumerGoroutines() int {
	return len(stacksWith("exporter.(*dataExporterImpl", "exporter.(*flushLoop)"))
}

// stacksWith returns the stacks of the goroutines that are in one of these functions.
func stacksWith(functions ...string) []string {
	for size := 1 << 20; ; size *= 2 {
		all := make([]byte, size)
		if n := runtime.Stack(all, true); n < size {
			return slices.DeleteFunc(strings.Split(string(all[:n]), "\n\n"), func(stack string) bool {
				return !slices.ContainsFunc(functions, func(name string) bool { return strings.Contains(stack, name) })
			})
		}
	}
}

func requireConsumerGoroutines(t *testing.T, want int) {
	t.Helper()
	require.Eventually(t, func() bool { return consumerGoroutines() <= want }, flushTestGuard, 20*time.Millisecond,
		"a goroutine of a stopped consumer is left")
}
