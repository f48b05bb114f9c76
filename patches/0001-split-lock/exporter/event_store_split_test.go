//go:build ignore

package exporter_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
)

// splitTestGuard bounds the waits of these tests: it only elapses where an operation is stuck.
const splitTestGuard = 5 * time.Second

// exportHeld is an export that has begun and does not return before finish is called.
type exportHeld struct {
	finish func(error)
	done   <-chan error
}

// holdExport starts to process the pending events of a consumer and returns while that is going on.
func holdExport(t *testing.T, store exporter.EventStore[exporter.FeatureEvent], consumer string) exportHeld {
	t.Helper()
	begun, verdict, done := make(chan struct{}), make(chan error, 1), make(chan error, 1)
	go func() {
		done <- store.ProcessPendingEvents(consumer, func(context.Context, []exporter.FeatureEvent) error {
			close(begun)
			return <-verdict
		})
	}()
	requireClosed(t, begun, "the export never began")
	held := exportHeld{finish: func(err error) { verdict <- err }, done: done}
	t.Cleanup(func() {
		select {
		case verdict <- nil:
		default: // the test has decided already
		}
	})
	return held
}

func requireClosed(t *testing.T, event <-chan struct{}, message string) {
	t.Helper()
	select {
	case <-event:
	case <-time.After(splitTestGuard):
		require.Fail(t, message)
	}
}

// drain returns the keys of all that is pending for the consumer, and commits it.
func drain(t *testing.T, store exporter.EventStore[exporter.FeatureEvent], consumer string) []string {
	t.Helper()
	var keys []string
	require.NoError(t, store.ProcessPendingEvents(consumer,
		func(_ context.Context, events []exporter.FeatureEvent) error {
			for _, event := range events {
				keys = append(keys, event.Key)
			}
			return nil
		}))
	return keys
}

func TestEventStore_NothingWaitsForAnExport(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		do   func(store exporter.EventStore[exporter.FeatureEvent])
	}{
		{name: "Add", do: func(store exporter.EventStore[exporter.FeatureEvent]) {
			store.Add(exporter.FeatureEvent{Key: "late"})
		}},
		{name: "GetPendingEventCount", do: func(store exporter.EventStore[exporter.FeatureEvent]) {
			_, _ = store.GetPendingEventCount("slow")
		}},
		{name: "GetTotalEventCount", do: func(store exporter.EventStore[exporter.FeatureEvent]) {
			store.GetTotalEventCount()
		}},
		{name: "export of another consumer", do: func(store exporter.EventStore[exporter.FeatureEvent]) {
			_ = store.ProcessPendingEvents("other",
				func(context.Context, []exporter.FeatureEvent) error { return nil })
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			store := exporter.NewEventStore[exporter.FeatureEvent](time.Hour)
			t.Cleanup(store.Stop)
			store.AddConsumer("slow")
			store.AddConsumer("other")
			store.Add(exporter.FeatureEvent{Key: "early"})

			holdExport(t, store, "slow")
			returned := make(chan struct{})
			go func() {
				defer close(returned)
				tt.do(store)
			}()
			requireClosed(t, returned, tt.name+" waits for the export of another goroutine")
		})
	}
}

func TestEventStore_EventsAddedDuringAnExport(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		result error
		want   []string
	}{
		{name: "stay pending after it succeeded", want: []string{"during"}},
		{name: "follow the same batch after it failed", result: errors.New("sink is down"),
			want: []string{"before", "during"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			store := exporter.NewEventStore[exporter.FeatureEvent](time.Hour)
			t.Cleanup(store.Stop)
			store.AddConsumer("consumer")
			store.Add(exporter.FeatureEvent{Key: "before"})

			held := holdExport(t, store, "consumer")
			added := make(chan struct{})
			go func() {
				defer close(added)
				store.Add(exporter.FeatureEvent{Key: "during"})
			}()
			requireClosed(t, added, "Add waits for the export")
			held.finish(tt.result)
			require.ErrorIs(t, <-held.done, tt.result)

			pending, err := store.GetPendingEventCount("consumer")
			require.NoError(t, err)
			assert.Equal(t, int64(len(tt.want)), pending)
			assert.Equal(t, tt.want, drain(t, store, "consumer"))
			assert.Empty(t, drain(t, store, "consumer"))
		})
	}
}

func TestEventStore_NothingPendingNothingExported(t *testing.T) {
	t.Parallel()
	store := exporter.NewEventStore[exporter.FeatureEvent](time.Hour)
	t.Cleanup(store.Stop)
	store.AddConsumer("consumer")
	calls := 0
	export := func(context.Context, []exporter.FeatureEvent) error {
		calls++
		return nil
	}
	require.NoError(t, store.ProcessPendingEvents("consumer", export))
	assert.Zero(t, calls, "exports of nothing")
	store.Add(exporter.FeatureEvent{Key: "event"})
	for range 2 {
		require.NoError(t, store.ProcessPendingEvents("consumer", export))
	}
	assert.Equal(t, 1, calls, "exports of one event")
}

// For the race detector: a consumer begins behind the last event, which another goroutine may be adding.
func TestEventStore_ConsumerAddedWithAnEvent(t *testing.T) {
	store := exporter.NewEventStore[exporter.FeatureEvent](time.Hour)
	t.Cleanup(store.Stop)
	var wg sync.WaitGroup
	wg.Go(func() { store.AddConsumer("consumer") })
	wg.Go(func() { store.Add(exporter.FeatureEvent{Key: "event"}) })
	wg.Wait()

	pending, err := store.GetPendingEventCount("consumer")
	require.NoError(t, err)
	assert.Len(t, drain(t, store, "consumer"), int(pending))
}

// A producer adds events while several goroutines export for the same consumer: the exports never overlap,
// and every event is in exactly one of them, in order.
func TestEventStore_OneExportAtATimeForAConsumer(t *testing.T) {
	const total, exporters = 2000, 4
	store := exporter.NewEventStore[exporter.FeatureEvent](time.Hour)
	t.Cleanup(store.Stop)
	store.AddConsumer("consumer")

	// Only the turns of the consumer order the accesses to these two: the race detector would tell.
	var exported []int64
	overlaps, exporting := 0, false
	export := func(_ context.Context, events []exporter.FeatureEvent) error {
		if exporting {
			overlaps++
		}
		exporting = true
		for _, event := range events {
			exported = append(exported, event.CreationDate)
		}
		exporting = false
		return nil
	}

	produced := make(chan struct{})
	go func() {
		defer close(produced)
		for i := range int64(total) {
			store.Add(exporter.FeatureEvent{CreationDate: i})
		}
	}()
	results := make(chan error, exporters)
	for range exporters {
		go func() {
			for {
				select {
				case <-produced:
					results <- store.ProcessPendingEvents("consumer", export)
					return
				default:
				}
				if err := store.ProcessPendingEvents("consumer", export); err != nil {
					results <- err
					return
				}
			}
		}()
	}
	for range exporters {
		require.NoError(t, <-results)
	}

	assert.Zero(t, overlaps)
	require.Len(t, exported, total)
	for i, got := range exported {
		require.Equal(t, int64(i), got, "event out of order, lost or repeated")
	}
}
