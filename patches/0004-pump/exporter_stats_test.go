//go:build ignore

package ffclient_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	ffclient "github.com/thomaspoignant/go-feature-flag"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/ffcontext"
	"github.com/thomaspoignant/go-feature-flag/retriever/fileretriever"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// stuckExporter does not return before the test is over.
type stuckExporter struct{ released chan struct{} }

func (stuckExporter) IsBulk() bool { return true }

func (e stuckExporter) Export(context.Context, *fflog.FFLogger, []exporter.ExportableEvent) error {
	<-e.released
	return nil
}

// Close gives both kinds of events the time that is configured, and what is left is reported.
func TestGoFeatureFlag_CloseWithStuckExporters(t *testing.T) {
	stuck := stuckExporter{make(chan struct{})}
	defer close(stuck.released)
	client, err := ffclient.New(ffclient.Config{
		Retriever: &fileretriever.Retriever{Path: "testdata/flag-config.yaml"},
		DataExporters: []ffclient.DataExporter{
			{Exporter: stuck, StopTimeout: 50 * time.Millisecond},
			{Exporter: stuck, StopTimeout: 50 * time.Millisecond, ExporterEventType: ffclient.TrackingEventExporter},
		},
	})
	require.NoError(t, err)
	user := ffcontext.NewEvaluationContext("user")
	for range 5 {
		client.CollectEventData(exporter.FeatureEvent{Key: "feature"})
	}
	client.Track("tracking", user, nil)

	closed := make(chan struct{})
	go func() {
		defer close(closed)
		client.Close()
		client.Close()
	}()
	select {
	case <-closed:
	case <-time.After(8 * time.Second): // less than the default
		require.Fail(t, "Close does not return")
	}
	feature, tracking := client.ExporterStats()
	for _, tt := range []struct {
		stats exporter.Stats
		added int64
	}{{feature, 5}, {tracking, 1}} {
		require.Len(t, tt.stats.Consumers, 1)
		consumer := tt.stats.Consumers[0]
		assert.Equal(t, tt.added, consumer.Added)
		assert.Equal(t, tt.added, consumer.InFlight)
		assert.True(t, consumer.Hung)
		assert.ErrorIs(t, consumer.StopError, context.DeadlineExceeded)
	}

	var missing *ffclient.GoFeatureFlag
	feature, tracking = missing.ExporterStats()
	assert.Empty(t, feature)
	assert.Empty(t, tracking)
}
