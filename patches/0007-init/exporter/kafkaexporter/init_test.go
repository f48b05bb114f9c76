//go:build ignore

package kafkaexporter

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/IBM/sarama"
	"github.com/stretchr/testify/assert"
	"github.com/thomaspoignant/go-feature-flag/exporter"
)

type countingSender struct{ messages atomic.Int64 }

func (c *countingSender) SendMessages(messages []*sarama.ProducerMessage) error {
	c.messages.Add(int64(len(messages)))
	return nil
}

// Two data exporters with the same Exporter share a producer. Without this change, a second one can be dialed, and
// the first one is never closed.
func TestExporter_DialsOnceForSeveral(t *testing.T) {
	var dialed atomic.Int64
	sender := &countingSender{}
	e := &Exporter{
		Settings: Settings{Topic: "topic", Addresses: []string{"addr1"}},
		dialer: func([]string, *sarama.Config) (MessageSender, error) {
			dialed.Add(1)
			return sender, nil
		},
	}
	var exports sync.WaitGroup
	for range 8 {
		exports.Add(1)
		go func() {
			defer exports.Done()
			assert.NoError(t, e.Export(context.Background(), nil,
				[]exporter.ExportableEvent{exporter.FeatureEvent{Kind: "feature", Value: "YO"}}))
		}()
	}
	exports.Wait()
	assert.EqualValues(t, 8, sender.messages.Load())
	assert.EqualValues(t, 1, dialed.Load())
}
