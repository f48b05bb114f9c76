//go:build ignore

package exporter_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// oneByOne delivers the events of a batch one by one, and fails in the middle of each batch, once.
type oneByOne struct {
	accepted []string
	refused  map[string]bool
	done     [][]bool // what was done at the beginning of each call
}

func (o *oneByOne) IsBulk() bool { return true }

func (o *oneByOne) Export(ctx context.Context, _ *fflog.FFLogger, events []exporter.ExportableEvent) error {
	delivery := exporter.DeliveryFrom(ctx)
	done := make([]bool, len(events))
	for i := range events {
		done[i] = delivery.Done(i)
	}
	o.done = append(o.done, done)
	for i, event := range events {
		if delivery.Done(i) {
			continue
		}
		if i == 1 && !o.refused[event.GetKey()] {
			o.refused[event.GetKey()] = true
			return errors.New("not yet")
		}
		o.accepted = append(o.accepted, event.GetKey())
		delivery.Add(i)
	}
	return nil
}

// What was delivered of a batch is known to its next attempt, and to no other batch.
func TestDelivery(t *testing.T) {
	o := &oneByOne{refused: map[string]bool{}}
	manager := pumped(exporter.Config{FlushInterval: time.Hour, MaxEventInMemory: 2, Exporter: o})
	var keys []string
	for i := range 3 {
		keys = append(keys, add(manager, 2*i, 2*i+2)...)
		eventually(t, "the batch is exported", func() bool {
			stats := manager.(exporter.StatsReporter).Stats().Consumers[0]
			return stats.Exported == int64(2*i+2)
		})
	}
	manager.Stop()
	assert.Equal(t, keys, o.accepted)
	fresh, second := []bool{false, false}, []bool{true, false}
	assert.Equal(t, [][]bool{fresh, second, fresh, second, fresh, second}, o.done)
}

// Without a Manager nothing is kept, and any number of goroutines may use a Delivery.
func TestDelivery_WithoutManager(t *testing.T) {
	delivery := exporter.DeliveryFrom(context.Background())
	var adding sync.WaitGroup
	for i := range 8 {
		adding.Add(1)
		go func() {
			defer adding.Done()
			delivery.Add(i, i+8)
			assert.True(t, delivery.Done(i))
		}()
	}
	adding.Wait()
	assert.True(t, delivery.Done(15))
	assert.False(t, delivery.Done(16))
	assert.False(t, exporter.DeliveryFrom(context.Background()).Done(0))
	var missing context.Context // exporters are called without one, too
	assert.False(t, exporter.DeliveryFrom(missing).Done(0))
}
