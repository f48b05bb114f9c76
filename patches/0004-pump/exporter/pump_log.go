//go:build ignore

package exporter

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// pumpLogger has a pump log through the logger of the library.
func pumpLogger(logger *fflog.FFLogger, exporter CommonExporter) *slog.Logger {
	if logger == nil {
		return nil
	}
	return slog.New(pumpLog{logger: logger}).With(slog.String("exporter", fmt.Sprintf("%T", exporter)))
}

// pumpLog is a slog.Handler that writes to the logger of the library, whichever kind that is.
type pumpLog struct {
	logger *fflog.FFLogger
	attrs  []any
}

// Enabled leaves it to the logger, which filters too.
func (l pumpLog) Enabled(context.Context, slog.Level) bool { return true }

// WithAttrs returns a handler that adds the attributes to every line.
func (l pumpLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	l.attrs = slices.Clip(l.attrs)
	for _, attr := range attrs {
		l.attrs = append(l.attrs, attr)
	}
	return l
}

// WithGroup does nothing: a pump has no groups.
func (l pumpLog) WithGroup(string) slog.Handler { return l }

// Handle writes a line. Where it is about an error, that is the message: what a failed export says is what people
// search their logs for.
func (l pumpLog) Handle(_ context.Context, record slog.Record) error {
	message, level, attrs := record.Message, record.Level, slices.Clip(l.attrs)
	record.Attrs(func(attr slog.Attr) bool {
		if err, ok := attr.Value.Any().(error); ok {
			message, level = err.Error(), slog.LevelError
			attrs = append(attrs, slog.String("problem", record.Message))
			return true
		}
		attrs = append(attrs, attr)
		return true
	})
	switch {
	case level >= slog.LevelError:
		l.logger.Error(message, attrs...)
	case level >= slog.LevelWarn:
		l.logger.Warn(message, attrs...)
	case level >= slog.LevelInfo:
		l.logger.Info(message, attrs...)
	default:
		l.logger.Debug(message, attrs...)
	}
	return nil
}
