package spool

import (
	"context"
	"log/slog"
	"slices"
)

// borrowedLog hands lines to the logger that Export was called with last. Before the first Export there is none, and they are
// lost. It is not called with Spool.mu held.
type borrowedLog struct {
	spool *Spool
	attrs []slog.Attr
}

// Enabled leaves the decision to the logger.
func (l *borrowedLog) Enabled(context.Context, slog.Level) bool { return true }

// WithGroup is never called by this package, nor by package eventstore.
func (l *borrowedLog) WithGroup(string) slog.Handler { return l }

func (l *borrowedLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &borrowedLog{l.spool, slices.Concat(l.attrs, attrs)}
}

func (l *borrowedLog) Handle(_ context.Context, r slog.Record) error {
	l.spool.mu.Lock()
	logger := l.spool.logger
	l.spool.mu.Unlock()
	var values []any
	add := func(a slog.Attr) bool {
		values = append(values, a.Key, a.Value.Any())
		return true
	}
	for _, a := range l.attrs {
		add(a)
	}
	r.Attrs(add)
	switch {
	case r.Level >= slog.LevelError:
		logger.Error(r.Message, values...)
	case r.Level >= slog.LevelWarn:
		logger.Warn(r.Message, values...)
	default:
		logger.Info(r.Message, values...)
	}
	return nil
}
