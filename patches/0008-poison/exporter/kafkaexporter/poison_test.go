//go:build ignore

package kafkaexporter

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/IBM/sarama"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// smallBroker takes messages of up to 1024 bytes. If one is larger, it takes none of those that came with it.
type smallBroker struct{ keys []string }

func (b *smallBroker) SendMessages(messages []*sarama.ProducerMessage) error {
	tooLarge := false
	for _, m := range messages {
		tooLarge = tooLarge || m.Value.Length() > 1024
	}
	var failed sarama.ProducerErrors
	for _, m := range messages {
		if tooLarge {
			failed = append(failed, &sarama.ProducerError{Msg: m, Err: sarama.ErrMessageSizeTooLarge})
			continue
		}
		b.keys = append(b.keys, string(m.Key.(sarama.StringEncoder)))
	}
	if tooLarge {
		return failed
	}
	return nil
}

// What Kafka never takes is set aside, and the rest is sent.
func TestExporter_PoisonIsSetAside(t *testing.T) {
	var log bytes.Buffer
	broker := &smallBroker{}
	config := sarama.NewConfig()
	config.Producer.Return.Successes = true
	config.Producer.MaxMessageBytes = 4096
	e := &Exporter{
		Settings: Settings{Topic: "topic", Addresses: []string{"addr1"}, Config: config},
		dialer:   func([]string, *sarama.Config) (MessageSender, error) { return broker, nil },
	}
	err := e.Export(context.Background(), &fflog.FFLogger{LeveledLogger: slog.New(slog.NewTextHandler(&log, nil))},
		[]exporter.ExportableEvent{
			exporter.FeatureEvent{UserKey: "first", Value: true},
			exporter.FeatureEvent{UserKey: "infinite", Value: math.Inf(1)},
			exporter.FeatureEvent{UserKey: "too large for the broker", Value: strings.Repeat("x", 2048)},
			exporter.FeatureEvent{UserKey: "too large for the producer", Value: strings.Repeat("x", 4096)},
			exporter.FeatureEvent{UserKey: "last", Value: true},
		})
	require.NoError(t, err)
	assert.Equal(t, []string{"first", "last"}, broker.keys)
	assert.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
	assert.Contains(t, log.String(), "events=3")
	assert.Contains(t, log.String(), "unsupported value: +Inf")
}
