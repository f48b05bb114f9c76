//go:build ignore

package exporter

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cleanStep is one thing that happens to a store before it is cleaned.
type cleanStep func(t *testing.T, store *eventStoreImpl[FeatureEvent])

func addConsumer(id string) cleanStep {
	return func(_ *testing.T, store *eventStoreImpl[FeatureEvent]) { store.AddConsumer(id) }
}

func addEvents(n int) cleanStep {
	return func(_ *testing.T, store *eventStoreImpl[FeatureEvent]) {
		for range n {
			store.Add(FeatureEvent{Kind: "feature"})
		}
	}
}

// flushes checks that the consumer is handed exactly n events, which it commits.
func flushes(id string, n int) cleanStep {
	return func(t *testing.T, store *eventStoreImpl[FeatureEvent]) {
		got := 0
		require.NoError(t, store.ProcessPendingEvents(id,
			func(_ context.Context, events []FeatureEvent) error {
				got += len(events)
				return nil
			}))
		require.Equal(t, n, got, "events handed to %s", id)
	}
}

func clean(_ *testing.T, store *eventStoreImpl[FeatureEvent]) { store.cleanQueue() }

func TestEventStore_CleanKeepsWhatIsNotRead(t *testing.T) {
	tests := []struct {
		name       string
		steps      []cleanStep
		wantStored int64
	}{
		{
			name: "the consumer added first has read nothing",
			steps: []cleanStep{addConsumer("idle"), addConsumer("busy"), addEvents(10), flushes("busy", 10),
				clean, flushes("idle", 10)},
			wantStored: 10,
		},
		{
			name: "the consumer added last has read nothing",
			steps: []cleanStep{addConsumer("busy"), addConsumer("idle"), addEvents(10), flushes("busy", 10),
				clean, flushes("idle", 10)},
			wantStored: 10,
		},
		{
			name: "a consumer added late does not stand in for one that has read nothing",
			steps: []cleanStep{addConsumer("idle"), addEvents(10), addConsumer("late"),
				clean, flushes("late", 0), addEvents(5), flushes("late", 5),
				clean, flushes("idle", 15)},
			wantStored: 15,
		},
		{
			name: "one of many has read nothing, over several clean-ups",
			steps: []cleanStep{addConsumer("a"), addConsumer("idle"), addConsumer("b"), addConsumer("c"),
				addEvents(10), flushes("a", 10), clean, flushes("b", 10), clean, flushes("c", 10), clean,
				addEvents(10), flushes("a", 10), clean, flushes("idle", 20), flushes("b", 10), flushes("c", 10)},
			wantStored: 20,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// The consumers are visited in random order, so that one clean-up alone proves little.
			for range 50 {
				store := newCleanStore(t)
				for _, step := range tt.steps {
					step(t, store)
				}
				require.Equal(t, tt.wantStored, store.GetTotalEventCount())
				store.cleanQueue()
				require.Zero(t, store.GetTotalEventCount(), "all of them have read everything")
			}
		})
	}
}

func TestEventStore_CleanRemovesWhatNobodyNeeds(t *testing.T) {
	tests := []struct {
		name       string
		steps      []cleanStep
		wantStored int64
	}{
		{name: "no event", steps: []cleanStep{addConsumer("a"), clean}},
		{name: "no consumer", steps: []cleanStep{addEvents(10), clean}},
		{
			name: "what all have read",
			steps: []cleanStep{addConsumer("a"), addConsumer("b"), addEvents(10), flushes("a", 10), flushes("b", 10),
				addEvents(3), flushes("a", 3), clean, flushes("b", 3)},
			wantStored: 3,
		},
		{
			name: "what was added before the only consumer",
			steps: []cleanStep{addEvents(10), addConsumer("a"), addEvents(2), clean,
				flushes("a", 2)},
			wantStored: 2,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store := newCleanStore(t)
			for _, step := range tt.steps {
				step(t, store)
			}
			assert.Equal(t, tt.wantStored, store.GetTotalEventCount())
		})
	}
}

// newCleanStore returns a store that is cleaned by the test alone.
func newCleanStore(t *testing.T) *eventStoreImpl[FeatureEvent] {
	t.Helper()
	store, ok := NewEventStore[FeatureEvent](time.Hour).(*eventStoreImpl[FeatureEvent])
	require.True(t, ok)
	t.Cleanup(store.Stop)
	return store
}
