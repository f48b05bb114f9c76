//go:build ignore

package sqsexporter

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/stretchr/testify/assert"
	"github.com/thomaspoignant/go-feature-flag/exporter"
)

// busyQueue fails twice with the message of user 3, and never takes the one of user 2.
type busyQueue struct {
	gate  chan struct{}
	calls map[string]int
	taken []string
}

func (q *busyQueue) SendMessage(_ context.Context, in *sqs.SendMessageInput, _ ...func(*sqs.Options),
) (*sqs.SendMessageOutput, error) {
	hold(q.gate)
	var event exporter.FeatureEvent
	if err := json.Unmarshal([]byte(*in.MessageBody), &event); err != nil {
		return nil, err
	}
	q.calls[event.UserKey]++
	switch {
	case event.UserKey == "2":
		return nil, &types.InvalidMessageContents{}
	case event.UserKey == "3" && q.calls["3"] < 3:
		return nil, errors.New("not yet")
	}
	q.taken = append(q.taken, event.UserKey)
	return &sqs.SendMessageOutput{}, nil
}

// A retry begins with the message that failed.
func TestExporter_RetrySendsWhatWasNotTaken(t *testing.T) {
	queue := &busyQueue{gate: make(chan struct{}), calls: map[string]int{}}
	exportInTwo(&Exporter{QueueURL: "https://sqs.eu-west-1.amazonaws.com/XXX/test-queue", AwsConfig: &aws.Config{},
		sqsService: queue}, queue.gate)
	assert.Equal(t, []string{"gate", "1", "3", "4", "5"}, queue.taken)
	assert.Equal(t, map[string]int{"gate": 1, "1": 1, "2": 1, "3": 3, "4": 1, "5": 1}, queue.calls)
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
