//go:build ignore

package exporter

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// foreignConsumer is a DataExporter that does not come from NewDataExporter.
type foreignConsumer struct {
	DataExporter[FeatureEvent]
	bulk    bool
	flushes int
}

func (c *foreignConsumer) IsBulk() bool               { return c.bulk }
func (c *foreignConsumer) GetConsumerID() string      { return "foreign" }
func (c *foreignConsumer) GetMaxEventInMemory() int64 { return 1 }
func (c *foreignConsumer) Flush()                     { c.flushes++ }

// It has no goroutine that a flush could be left to.
func TestManager_ForeignConsumerIsFlushedInTheCaller(t *testing.T) {
	for _, bulk := range []bool{true, false} {
		t.Run(fmt.Sprintf("bulk %t", bulk), func(t *testing.T) {
			store := NewEventStore[FeatureEvent](time.Hour)
			t.Cleanup(store.Stop)
			store.AddConsumer("foreign")
			consumer := &foreignConsumer{bulk: bulk}
			manager := &managerImpl[FeatureEvent]{
				consumers: []DataExporter[FeatureEvent]{consumer}, eventStore: &store,
			}
			manager.AddEvent(FeatureEvent{Key: "first"})
			manager.AddEvent(FeatureEvent{Key: "second"})
			assert.Equal(t, 2, consumer.flushes)
		})
	}
}
