package main

import (
	"context"
	"log/slog"

	"github.com/redis/go-redis/v9"
	ffclient "github.com/thomaspoignant/go-feature-flag"
	"github.com/thomaspoignant/go-feature-flag/retriever/redisretriever"
)

// newClient loads the flags and starts the library. The client lives until its Close, not until some context ends:
// the flush at the end has to outlive the signal that asks for it.
func newClient(cfg config, outlets []*outlet, logger *slog.Logger) (*ffclient.GoFeatureFlag, error) {
	settings := ffclient.Config{
		Context:       context.Background(),
		LeveledLogger: logger,
		Retriever: &redisretriever.Retriever{
			Options: &redis.Options{Addr: cfg.redisAddr},
			Prefix:  cfg.redisPrefix,
		},
	}
	for _, o := range outlets {
		settings.DataExporters = append(settings.DataExporters, ffclient.DataExporter{
			Exporter:         o.exporter(),
			FlushInterval:    cfg.flushInterval,
			MaxEventInMemory: cfg.maxEvents,
		})
	}
	if cfg.closeTimeout > 0 {
		limitClose(&settings, cfg.closeTimeout)
	}
	return ffclient.New(settings)
}
