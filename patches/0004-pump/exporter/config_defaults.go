//go:build ignore

package exporter

import (
	"context"
	"log/slog"
	"math"
	"time"

	"github.com/thomaspoignant/go-feature-flag/internal/eventstore"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

const (
	defaultExportTimeout = time.Minute
	defaultStopTimeout   = 10 * time.Second

	// backlogPerFlush makes the default of MaxBacklog: at the default of MaxEventInMemory, a million events.
	backlogPerFlush = 10
	// minDefaultBacklog keeps a small MaxEventInMemory from losing events in a rush that the exporter is well able to
	// export.
	minDefaultBacklog = 1000
	// maxEvents is more than fits into memory, and does not overflow an int anywhere.
	maxEvents = math.MaxInt32

	// bulkBatch is how many events a bulk exporter may be given at once while it catches up, if MaxEventInMemory is less.
	bulkBatch = 10_000
	// liveBatch is the same for an exporter that is not bulk: what the sinks of these accept in one call.
	liveBatch = 500
)

// complete returns the configuration with defaults in the place of what is missing, and of what cannot be meant, which
// is logged: whoever makes an exporter cannot return an error.
func (c Config) complete(logger *fflog.FFLogger) Config {
	if c.Exporter == nil {
		logger.Error("no exporter is configured, its events are discarded")
		c.Exporter = discard{}
	}
	c.FlushInterval = positive(c.FlushInterval, defaultFlushInterval, "FlushInterval", logger)
	c.MaxEventInMemory = positive(c.MaxEventInMemory, defaultMaxEventInMemory, "MaxEventInMemory", logger)
	c.ExportTimeout = positive(c.ExportTimeout, defaultExportTimeout, "ExportTimeout", logger)
	c.StopTimeout = positive(c.StopTimeout, defaultStopTimeout, "StopTimeout", logger)
	backlog := max(backlogPerFlush*min(c.MaxEventInMemory, maxEvents/backlogPerFlush), minDefaultBacklog)
	c.MaxBacklog = min(positive(c.MaxBacklog, backlog, "MaxBacklog", logger), maxEvents)
	if least := c.threshold(); c.MaxBacklog < least {
		logger.Error("MaxBacklog is below MaxEventInMemory, which is used instead",
			slog.Int64("value", c.MaxBacklog), slog.Int64("used", least))
		c.MaxBacklog = least
	}
	return c
}

// positive returns the value if it is above zero, and else the default.
func positive[V ~int64](value, standard V, option string, logger *fflog.FFLogger) V {
	if value < 0 {
		logger.Error("an option of the exporter is negative, its default is used",
			slog.String("option", option), slog.Any("value", value), slog.Any("default", standard))
	}
	if value <= 0 {
		return standard
	}
	return value
}

// threshold is how many waiting events have the exporter called before its interval is over.
func (c Config) threshold() int64 {
	if !c.Exporter.IsBulk() {
		return 1
	}
	return min(c.MaxEventInMemory, maxEvents)
}

// batchSize is how many events an Export is given at most.
func (c Config) batchSize() int64 {
	if !c.Exporter.IsBulk() {
		return min(liveBatch, c.MaxBacklog)
	}
	return max(c.threshold(), min(bulkBatch, c.MaxBacklog))
}

// consumerOptions is what a completed configuration asks of a consumer.
func (c Config) consumerOptions() eventstore.ConsumerOptions {
	return eventstore.ConsumerOptions{Threshold: int(c.threshold()), MaxLag: int(c.MaxBacklog)}
}

// discard takes the place of an exporter that is nil.
type discard struct{}

func (discard) IsBulk() bool { return true }

func (discard) Export(context.Context, *fflog.FFLogger, []ExportableEvent) error { return nil }
