//go:build ignore

package exporter_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// choosy is an exporter that never takes the event "poison", and fails at first.
type choosy struct{ sink }

func (c *choosy) Export(ctx context.Context, logger *fflog.FFLogger, events []exporter.ExportableEvent) error {
	var good []exporter.ExportableEvent
	for i, event := range events {
		if event.GetKey() == "poison" {
			exporter.SetAside(ctx, logger, exporter.Refused{Index: i, Event: event, Err: errors.New("it is poison")})
			continue
		}
		good = append(good, event)
	}
	return c.sink.Export(ctx, logger, good)
}

func TestSetAside_CountedAndLoggedOnce(t *testing.T) {
	var log bytes.Buffer
	logger := &fflog.FFLogger{LeveledLogger: slog.New(slog.NewTextHandler(&log, nil))}
	c := &choosy{sink{reply: func(_ context.Context, call int) error {
		if call < 3 {
			return errors.New("not yet")
		}
		return nil
	}}}
	manager := exporter.NewManager[exporter.FeatureEvent]([]exporter.Config{{
		FlushInterval: time.Hour, MaxEventInMemory: 3, Exporter: c,
	}}, time.Hour, logger)
	for _, key := range []string{"a", "poison", "b", "c", "poison", "poison"} {
		manager.AddEvent(exporter.FeatureEvent{Key: key})
	}
	manager.Stop()

	assert.Equal(t, []string{"a", "b", "c"}, c.has())
	stats := manager.(exporter.StatsReporter).Stats().Consumers
	require.Len(t, stats, 1)
	assert.EqualValues(t, 6, stats[0].Exported)
	assert.EqualValues(t, 3, stats[0].SetAside)
	assert.Equal(t, 3, strings.Count(log.String(), "it is poison"))
	assert.Contains(t, log.String(), stats[0].ConsumerID)
}

func TestSetAside_WithoutManager(t *testing.T) {
	var log bytes.Buffer
	logger := &fflog.FFLogger{LeveledLogger: slog.New(slog.NewTextHandler(&log, nil))}
	events := []exporter.Refused{
		{Index: 3, Event: exporter.FeatureEvent{Key: "flag"}, Err: errors.New("no number")},
		{Index: 4, Event: exporter.FeatureEvent{Key: "flag"}, Err: errors.New("no number either")},
	}

	exporter.SetAside(context.Background(), logger, events...)
	exporter.SetAside(context.Background(), logger) // nothing to report
	var missing context.Context                     // exporters are called without one, too
	exporter.SetAside(missing, nil, events...)

	assert.Equal(t, 1, strings.Count(log.String(), "\n"))
	for _, part := range []string{"events=2", "no number", "key=flag"} {
		assert.Contains(t, log.String(), part)
	}
}
