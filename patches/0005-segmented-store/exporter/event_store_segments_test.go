//go:build ignore

package exporter_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/testutils"
)

// process hands everything that is pending for the consumer to nobody, and returns how many events that were.
func process[T exporter.ExportableEvent](t *testing.T, store exporter.EventStore[T], consumer string) (count int) {
	t.Helper()
	require.NoError(t, store.ProcessPendingEvents(consumer, func(_ context.Context, events []T) error {
		count += len(events)
		return nil
	}))
	return count
}

// What one consumer is handed does not cost more because another one is far behind.
func TestEventStore_CostOfAFetch(t *testing.T) {
	const few, many, rounds = 100, 200_000, 50
	fastest := func(stored int) time.Duration {
		store := exporter.NewEventStore[testutils.ExportableMockEvent](time.Hour)
		defer store.Stop()
		store.AddConsumer("behind")
		store.AddConsumer("busy")
		for range stored {
			store.Add(testutils.NewExportableMockEvent("event"))
		}
		require.Equal(t, stored, process(t, store, "busy"))
		least := time.Hour
		for range rounds {
			store.Add(testutils.NewExportableMockEvent("event"))
			began := time.Now()
			got := process(t, store, "busy")
			least = min(least, time.Since(began))
			require.Equal(t, 1, got)
		}
		return max(least, time.Microsecond) // what a clock can be trusted with
	}
	// Both in this run, the best of many: the machine may be busy.
	withFew, withMany := fastest(few), fastest(many)
	assert.Less(t, withMany, 20*withFew, "%d events are stored, and with %d it takes %s", many, few, withFew)
}

// An event and all that it refers to is free when the last consumer has processed it; nothing is left to a cleaning.
func TestEventStore_ProcessedEventsAreFree(t *testing.T) {
	const events = 1000
	store := exporter.NewEventStore[exporter.FeatureEvent](time.Hour)
	defer store.Stop()
	store.AddConsumer("first")
	store.AddConsumer("last")
	var freed atomic.Int64
	for range events {
		value := new([4096]byte)
		runtime.AddCleanup(value, func(count *atomic.Int64) { count.Add(1) }, &freed)
		store.Add(exporter.FeatureEvent{Value: value})
	}
	require.Equal(t, events, process(t, store, "first"))
	runtime.GC()
	assert.Zero(t, freed.Load(), "freed before everybody has processed them")

	require.Equal(t, events, process(t, store, "last"))
	eventually(t, "events stay reachable", func() bool {
		runtime.GC()
		return freed.Load() == events
	})
	runtime.KeepAlive(store)
}

// A consumer that nobody processes does not keep more than a million events.
func TestEventStore_BacklogIsBounded(t *testing.T) {
	const bound = 1_000_000
	store := exporter.NewEventStore[testutils.ExportableMockEvent](time.Hour)
	defer store.Stop()
	store.AddConsumer("dead")
	for range bound + bound/10 {
		store.Add(testutils.NewExportableMockEvent("event"))
	}
	pending, err := store.GetPendingEventCount("dead")
	require.NoError(t, err)
	assert.LessOrEqual(t, pending, int64(bound))
	assert.GreaterOrEqual(t, pending, int64(bound-bound/10))
	assert.EqualValues(t, pending, process(t, store, "dead"))
}

func TestEventStore_Stop(t *testing.T) {
	before := len(pumpStacks())
	store := exporter.NewEventStore[exporter.FeatureEvent](time.Millisecond)
	assert.Len(t, pumpStacks(), before, "a store has no goroutine")
	store.AddConsumer("consumer")
	store.Add(exporter.FeatureEvent{Key: "early"})
	assert.NotPanics(t, func() { store.Stop(); store.Stop() })
	store.Add(exporter.FeatureEvent{Key: "late"})
	assert.Equal(t, 1, process(t, store, "consumer"), "what was added before Stop")
	requirePumps(t, before)
}

// A second AddConsumer does not take away what is pending.
func TestEventStore_ConsumerAddedTwice(t *testing.T) {
	store := exporter.NewEventStore[exporter.FeatureEvent](time.Hour)
	defer store.Stop()
	store.AddConsumer("consumer")
	store.Add(exporter.FeatureEvent{})
	store.AddConsumer("consumer")
	assert.Equal(t, 1, process(t, store, "consumer"))
}

// After a failure the same events come again, and those that were added since in a slice of their own.
func TestEventStore_FailedEventsComeAgainAsTheyWere(t *testing.T) {
	store := exporter.NewEventStore[exporter.FeatureEvent](time.Hour)
	defer store.Stop()
	store.AddConsumer("consumer")
	store.Add(exporter.FeatureEvent{Key: "first"})
	down := errors.New("sink is down")
	require.ErrorIs(t, store.ProcessPendingEvents("consumer",
		func(context.Context, []exporter.FeatureEvent) error { return down }), down)
	store.Add(exporter.FeatureEvent{Key: "second"})
	var got [][]exporter.FeatureEvent
	require.NoError(t, store.ProcessPendingEvents("consumer",
		func(_ context.Context, events []exporter.FeatureEvent) error {
			got = append(got, events)
			return nil
		}))
	assert.Equal(t, [][]exporter.FeatureEvent{{{Key: "first"}}, {{Key: "second"}}}, got)
}
