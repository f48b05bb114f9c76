//go:build ignore

package exporter_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
)

// newStoreWith makes a store and a DataExporter on it.
func newStoreWith(t *testing.T, config exporter.Config) (
	exporter.EventStore[exporter.FeatureEvent], exporter.DataExporter[exporter.FeatureEvent]) {
	t.Helper()
	store := exporter.NewEventStore[exporter.FeatureEvent](time.Hour)
	t.Cleanup(store.Stop)
	store.AddConsumer("consumer")
	return store, newConsumer(config, store)
}

func addTo(store exporter.EventStore[exporter.FeatureEvent], from, to int) (keys []string) {
	for i := from; i < to; i++ {
		keys = append(keys, fmt.Sprintf("event %d", i))
		store.Add(exporter.FeatureEvent{Key: keys[len(keys)-1]})
	}
	return keys
}

// A DataExporter of a store is pumped like those of a Manager.
func TestDataExporter_IsPumped(t *testing.T) {
	t.Parallel()
	for _, live := range []bool{false, true} {
		for name, reply := range map[string]func(context.Context, int) error{"well": nil, "failing first": failing(2)} {
			t.Run(fmt.Sprintf("%s, live %t", name, live), func(t *testing.T) {
				t.Parallel()
				s := &sink{live: live, reply: reply}
				store, consumer := newStoreWith(t, exporter.Config{Exporter: s, FlushInterval: time.Hour, MaxEventInMemory: 10})
				defer consumer.Stop()
				go consumer.Start()
				want := addTo(store, 0, 10) // the threshold alone has them exported
				eventually(t, "not exported", func() bool { return len(s.has()) == len(want) })
				assert.Equal(t, want, s.has())
			})
		}
	}
}

// Flush returns when what was added is exported, or when that has failed, and then nobody has to call it again.
func TestDataExporter_Flush(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		reply     func(context.Context, int) error
		wantAfter int
	}{
		{name: "well", wantAfter: 5},
		{name: "failing first", reply: failing(1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &sink{reply: tt.reply}
			store, consumer := newStoreWith(t, exporter.Config{Exporter: s, FlushInterval: time.Hour})
			defer consumer.Stop()
			want := addTo(store, 0, 5)
			returns(t, "Flush", consumer.Flush)
			if tt.wantAfter > 0 {
				assert.Len(t, s.has(), tt.wantAfter)
			}
			eventually(t, "not exported", func() bool { return len(s.has()) == len(want) })
			assert.Equal(t, want, s.has())
			returns(t, "Flush of nothing", consumer.Flush)
			consumer.Stop()
			addTo(store, 5, 6)
			returns(t, "Flush after Stop", consumer.Flush)
			assert.Equal(t, want, s.has())
		})
	}
}

func TestDataExporter_ThatNeverReturns(t *testing.T) {
	t.Parallel()
	s := &sink{reply: blocked(t)}
	store, consumer := newStoreWith(t, within(100*time.Millisecond, exporter.Config{Exporter: s, MaxEventInMemory: 1}))
	consumer.Start()
	addTo(store, 0, 1)
	eventually(t, "no export", func() bool { return len(s.given()) == 1 })
	returns(t, "Add", func() { addTo(store, 1, 100) })
	returns(t, "Stop", consumer.Stop)
	returns(t, "Stop", consumer.Stop)
	returns(t, "Flush", consumer.Flush)
}

// Two cannot export for one consumer: the second one is told.
func TestDataExporter_OwnsItsConsumer(t *testing.T) {
	s, second := &sink{}, &sink{}
	store, consumer := newStoreWith(t, exporter.Config{Exporter: s, FlushInterval: time.Hour})
	defer consumer.Stop()
	other := newConsumer(exporter.Config{Exporter: second, FlushInterval: time.Hour}, store)
	want := addTo(store, 0, 3)

	err := store.ProcessPendingEvents("consumer", func(context.Context, []exporter.FeatureEvent) error { return nil })
	require.ErrorContains(t, err, "has a DataExporter")
	other.Flush()
	other.Stop()
	assert.Empty(t, second.has())
	consumer.Flush()
	assert.Equal(t, want, s.has())
}
