package exporter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"reflect"
	"sync/atomic"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// Errors of [NewSink] and of what is built on it.
var (
	// ErrNoExporter is returned for an exporter that is nil, or a nil pointer.
	ErrNoExporter = errors.New("exporter: the exporter is nil")
	// ErrNotExporter is returned for a value that has an IsBulk, but no Export that the library knows.
	ErrNotExporter = errors.New("exporter: the value has no Export method that go-feature-flag would call")
)

// NewSink returns an exporter of the current interface that calls inner, which may have the current interface, and then it
// is returned as it is, or one of the two deprecated ones. If inner has a Stop(context.Context) error, so has what is
// returned.
//
// The deprecated interfaces take feature events alone. Events of other kinds, which the library refuses to hand to
// them, batch and all, are set aside: the rest is exported, and the first time a line is logged. [AsyncStats] counts them.
func NewSink(inner ffexporter.CommonExporter) (ffexporter.Exporter, error) {
	if isNil(inner) {
		return nil, ErrNoExporter
	}
	sink := &featureSink{CommonExporter: inner}
	switch exporter := inner.(type) {
	case ffexporter.Exporter:
		return exporter, nil
	//lint:ignore SA1019 the library calls it, so exporters may have it
	case ffexporter.DeprecatedExporterV1:
		sink.export = func(ctx context.Context, logger *fflog.FFLogger, events []ffexporter.FeatureEvent) error {
			return exporter.Export(ctx, legacyLogger(logger), events)
		}
	case ffexporter.DeprecatedExporterV2:
		sink.export = exporter.Export
	default:
		return nil, fmt.Errorf("%w: %T; it needs Export(context.Context, *fflog.FFLogger, []exporter.ExportableEvent) error", ErrNotExporter, inner)
	}
	if inner, ok := inner.(stopper); ok {
		return stoppableSink{sink, inner}, nil
	}
	return sink, nil
}

// isNil says whether there is nothing that could be called.
func isNil(inner ffexporter.CommonExporter) bool {
	if inner == nil {
		return true
	}
	v := reflect.ValueOf(inner)
	return (v.Kind() == reflect.Pointer || v.Kind() == reflect.Func) && v.IsNil()
}

// featureSink gives a deprecated exporter its feature events.
type featureSink struct {
	ffexporter.CommonExporter
	export   func(context.Context, *fflog.FFLogger, []ffexporter.FeatureEvent) error
	setAside atomic.Int64 // events of other kinds; a batch that is tried again counts once, when it was exported
}

// stoppableSink is a featureSink around an exporter that can be stopped, so that whoever is handed it can do that.
type stoppableSink struct {
	*featureSink
	stopper
}

// eventsSetAside is what tells a featureSink, stoppable or not.
func (s *featureSink) eventsSetAside() int64 { return s.setAside.Load() }

// Export implements the library's current interface.
func (s *featureSink) Export(ctx context.Context, logger *fflog.FFLogger, events []ffexporter.ExportableEvent) error {
	logger = workingLogger(logger)
	features := make([]ffexporter.FeatureEvent, 0, len(events))
	for _, event := range events {
		switch event := event.(type) {
		case ffexporter.FeatureEvent:
			features = append(features, event)
		case *ffexporter.FeatureEvent:
			if event != nil {
				features = append(features, *event)
			}
		}
	}
	if len(features) > 0 {
		if err := s.export(ctx, logger, features); err != nil {
			return err
		}
	}
	if others := int64(len(events) - len(features)); others > 0 && s.setAside.Add(others) == others {
		logger.Error("exporter: events were set aside that are no feature events; an exporter with a deprecated interface cannot take them",
			"exporter", fmt.Sprintf("%T", s.CommonExporter), "events", others)
	}
	return nil
}

// workingLogger returns a logger that can be called, whatever the library passed: without a logger it passes nil, of
// which only some methods work.
func workingLogger(logger *fflog.FFLogger) *fflog.FFLogger {
	if !works(logger) {
		return &fflog.FFLogger{LeveledLogger: slog.New(slog.DiscardHandler)}
	}
	return logger
}

// works says whether what is logged gets somewhere.
func works(logger *fflog.FFLogger) bool {
	return logger != nil && (logger.LeveledLogger != nil || logger.LegacyLogger != nil)
}

// legacyLogger is the logger that the first interface takes, never nil.
func legacyLogger(logger *fflog.FFLogger) *log.Logger {
	if legacy := workingLogger(logger).GetLogLogger(slog.LevelError); legacy != nil {
		return legacy
	}
	return log.New(io.Discard, "", 0)
}
