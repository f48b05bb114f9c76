//go:build ignore

package opentelemetryexporter

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// An event that no span is made of does not get lost in silence.
func TestExporter_SetsAsideWhatIsNoSpan(t *testing.T) {
	var log bytes.Buffer
	logger := &fflog.FFLogger{LeveledLogger: slog.New(slog.NewTextHandler(&log, nil))}
	err := (&Exporter{}).Export(context.Background(), logger, []exporter.ExportableEvent{
		exporter.TrackingEvent{Key: "purchase"},
		exporter.FeatureEvent{Key: "flag"},
		exporter.TrackingEvent{Key: "purchase"},
	})
	require.NoError(t, err)
	assert.Contains(t, log.String(), "events=2")
	assert.Contains(t, log.String(), "not of exporter.TrackingEvent")
}
