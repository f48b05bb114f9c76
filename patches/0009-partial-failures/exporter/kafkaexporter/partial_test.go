//go:build ignore

package kafkaexporter

import (
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/stretchr/testify/assert"
	"github.com/thomaspoignant/go-feature-flag/exporter"
)

// busyBroker fails twice with the messages of the users 2 and 4, and never takes the one of user 3.
type busyBroker struct {
	gate  chan struct{}
	calls map[string]int
	taken []string
}

func (b *busyBroker) SendMessages(messages []*sarama.ProducerMessage) error {
	hold(b.gate)
	var failed sarama.ProducerErrors
	for _, m := range messages {
		user := string(m.Key.(sarama.StringEncoder))
		b.calls[user]++
		switch {
		case user == "3":
			failed = append(failed, &sarama.ProducerError{Msg: m, Err: sarama.ErrMessageSizeTooLarge})
		case (user == "2" || user == "4") && b.calls[user] < 3:
			failed = append(failed, &sarama.ProducerError{Msg: m, Err: sarama.ErrNotEnoughReplicas})
		default:
			b.taken = append(b.taken, user)
		}
	}
	if len(failed) > 0 {
		return failed
	}
	return nil
}

// A retry sends the messages that failed.
func TestExporter_RetrySendsWhatWasNotTaken(t *testing.T) {
	broker := &busyBroker{gate: make(chan struct{}), calls: map[string]int{}}
	exportInTwo(&Exporter{
		Settings: Settings{Topic: "topic", Addresses: []string{"addr1"}},
		dialer:   func([]string, *sarama.Config) (MessageSender, error) { return broker, nil },
	}, broker.gate)
	assert.Equal(t, []string{"gate", "1", "5", "2", "4"}, broker.taken)
	assert.Equal(t, 2, broker.calls["3"], "in the batch, and by itself")
}

// exportInTwo has a Manager export an event by itself, and then five in one batch.
func exportInTwo(e *Exporter, gate chan struct{}) {
	manager := exporter.NewManager[exporter.FeatureEvent](
		[]exporter.Config{{FlushInterval: time.Hour, Exporter: e}}, time.Hour, nil)
	manager.AddEvent(exporter.FeatureEvent{UserKey: "gate", Value: true})
	gate <- struct{}{}
	for _, key := range []string{"1", "2", "3", "4", "5"} {
		manager.AddEvent(exporter.FeatureEvent{UserKey: key, Value: true})
	}
	close(gate)
	manager.Stop()
}

// hold keeps the first event until the others are there.
func hold(gate chan struct{}) {
	<-gate
	<-gate
}
