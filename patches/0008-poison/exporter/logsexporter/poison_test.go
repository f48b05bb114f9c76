//go:build ignore

package logsexporter_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/exporter/logsexporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

func TestLog_PoisonIsSetAside(t *testing.T) {
	var log bytes.Buffer
	logger := &fflog.FFLogger{LeveledLogger: slog.New(slog.NewTextHandler(&log, nil))}
	err := (&logsexporter.Exporter{}).Export(context.Background(), logger, []exporter.ExportableEvent{
		exporter.FeatureEvent{UserKey: "first", Value: 1},
		exporter.FeatureEvent{UserKey: "second", Value: make(chan int)},
		exporter.FeatureEvent{UserKey: "third", Value: 3},
	})
	require.NoError(t, err)
	assert.Contains(t, log.String(), "first")
	assert.Contains(t, log.String(), "third")
	assert.NotContains(t, log.String(), "second")
	assert.Contains(t, log.String(), "can't print")
}

func TestLog_TrackingEvents(t *testing.T) {
	const own = `user=\"user\", event=\"purchase\", details=\"map[amount:12]\"`
	tests := []struct {
		name, format, want string
	}{
		{name: "default", want: own},
		{name: "the default for feature events, spelled out", want: own,
			format: "[{{ .FormattedDate}}] user=\"{{ .UserKey}}\", flag=\"{{ .Key}}\", value=\"{{ .Value}}\""},
		{name: "one of its own", format: "{{ .Key}} of {{ .UserKey}}", want: "purchase of user"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			logger := &fflog.FFLogger{LeveledLogger: slog.New(slog.NewTextHandler(&log, nil))}
			event := exporter.TrackingEvent{UserKey: "user", Key: "purchase",
				TrackingDetails: map[string]any{"amount": 12}}
			err := (&logsexporter.Exporter{LogFormat: tt.format}).Export(
				context.Background(), logger, []exporter.ExportableEvent{event})
			require.NoError(t, err)
			assert.Contains(t, log.String(), tt.want)
		})
	}
}
