//go:build ignore

package kinesisexporter

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kinesis"
	"github.com/aws/aws-sdk-go-v2/service/kinesis/types"
	"github.com/stretchr/testify/assert"
	"github.com/thomaspoignant/go-feature-flag/exporter"
)

// busyStream refuses each record of the users 2 and 4 twice.
type busyStream struct {
	gate    chan struct{}
	vague   bool // it tells how many it refuses, and not which
	refused map[string]int
	taken   []string
}

func (s *busyStream) SendMessages(_ context.Context, in *kinesis.PutRecordsInput) (*kinesis.PutRecordsOutput, error) {
	hold(s.gate)
	out := &kinesis.PutRecordsOutput{FailedRecordCount: aws.Int32(0)}
	for _, entry := range in.Records {
		var event exporter.FeatureEvent
		if err := json.Unmarshal(entry.Data, &event); err != nil {
			return nil, err
		}
		result := types.PutRecordsResultEntry{SequenceNumber: aws.String("1")}
		if user := event.UserKey; (user == "2" || user == "4") && s.refused[user] < 2 {
			s.refused[user]++
			*out.FailedRecordCount++
			result = types.PutRecordsResultEntry{ErrorCode: aws.String("ProvisionedThroughputExceededException")}
		} else {
			s.taken = append(s.taken, user)
		}
		if !s.vague {
			out.Records = append(out.Records, result)
		}
	}
	return out, nil
}

// The records that Kinesis refuses are sent again, and no others.
func TestExporter_RefusedRecordsAreSentAgain(t *testing.T) {
	stream := &busyStream{gate: make(chan struct{}), refused: map[string]int{}}
	exportInTwo(&Exporter{Settings: NewSettings(WithStreamName("test-stream")), sender: stream}, stream.gate)
	assert.Equal(t, []string{"gate", "1", "3", "5", "2", "4"}, stream.taken)
}

// If it is not known which they are, all are.
func TestExporter_UnknownRefusedRecords(t *testing.T) {
	stream := &busyStream{gate: make(chan struct{}), refused: map[string]int{}, vague: true}
	exportInTwo(&Exporter{Settings: NewSettings(WithStreamName("test-stream")), sender: stream}, stream.gate)
	assert.Equal(t, []string{"gate", "1", "3", "5", "1", "3", "5", "1", "2", "3", "4", "5"}, stream.taken)
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
