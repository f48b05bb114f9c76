//go:build ignore

package kinesisexporter

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// What Kinesis never takes is set aside, and the rest is sent.
func TestExporter_PoisonIsSetAside(t *testing.T) {
	keys := map[string]string{"no partition key": "", "long partition key": strings.Repeat("k", 257)}
	settings := NewSettings(WithStreamName("test-stream"),
		WithPartitionKey(func(_ context.Context, event exporter.ExportableEvent) string {
			if key, ok := keys[event.GetKey()]; ok {
				return key
			}
			return "key"
		}))
	var log bytes.Buffer
	sender := &MockKinesisSender{}
	err := (&Exporter{Settings: settings, sender: sender}).Export(context.Background(),
		&fflog.FFLogger{LeveledLogger: slog.New(slog.NewTextHandler(&log, nil))},
		[]exporter.ExportableEvent{
			exporter.FeatureEvent{Key: "first", Value: true},
			exporter.FeatureEvent{Key: "infinite", Value: math.Inf(1)},
			exporter.FeatureEvent{Key: "no partition key", Value: true},
			exporter.FeatureEvent{Key: "long partition key", Value: true},
			exporter.FeatureEvent{Key: "too large", Value: strings.Repeat("x", Mb)},
			exporter.FeatureEvent{Key: "last", Value: true},
		})
	require.NoError(t, err)
	require.Len(t, sender.PutRecordsInputs, 1)
	require.Len(t, sender.PutRecordsInputs[0].Records, 2)
	assert.Contains(t, string(sender.PutRecordsInputs[0].Records[0].Data), "first")
	assert.Contains(t, string(sender.PutRecordsInputs[0].Records[1].Data), "last")
	assert.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
	assert.Contains(t, log.String(), "events=4")
	assert.Contains(t, log.String(), "unsupported value: +Inf")
}

// No request is larger than Kinesis takes, and all records are sent, in order.
func TestExporter_RequestsStayBelowTheLimits(t *testing.T) {
	tests := []struct {
		name   string
		events int
		value  string
		want   []int // records of each request
	}{
		{name: "records", events: 1201, value: "x", want: []int{500, 500, 201}},
		{name: "bytes", events: 13, value: strings.Repeat("x", Mb-1024), want: []int{5, 5, 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			events := make([]exporter.ExportableEvent, tt.events)
			for i := range events {
				events[i] = exporter.FeatureEvent{CreationDate: int64(i), Value: tt.value}
			}
			sender := &MockKinesisSender{}
			e := &Exporter{Settings: NewSettings(WithStreamName("test-stream")), sender: sender}
			require.NoError(t, e.Export(context.Background(), &fflog.FFLogger{}, events))

			var requests []int
			var sent [][]byte
			for _, input := range sender.PutRecordsInputs {
				size := 0
				for _, r := range input.Records {
					size += len(r.Data) + len(*r.PartitionKey)
					sent = append(sent, r.Data)
				}
				assert.LessOrEqual(t, size, 5*Mb)
				requests = append(requests, len(input.Records))
			}
			assert.Equal(t, tt.want, requests)
			require.Len(t, sent, tt.events)
			for i, event := range events {
				want, err := e.formatMessage(event)
				require.NoError(t, err)
				assert.True(t, bytes.Equal(want, sent[i]), "event %d", i)
			}
		})
	}
}

// Settings that were not made by NewSettings have no partition key.
func TestExporter_DefaultPartitionKey(t *testing.T) {
	stream, sender := "test-stream", &MockKinesisSender{}
	e := &Exporter{Settings: &Settings{StreamName: &stream}, sender: sender}
	require.NotPanics(t, func() {
		assert.NoError(t, e.Export(context.Background(), nil, []exporter.ExportableEvent{NewFeatureEvent()}))
	})
	require.Len(t, sender.PutRecordsInputs, 1)
	assert.Equal(t, "default", *sender.PutRecordsInputs[0].Records[0].PartitionKey)
}
