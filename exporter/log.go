package exporter

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/thomaspoignant/go-feature-flag/utils/fflog"

	"github.com/offlock/offlock/eventstore"
)

// log writes a line to the logger of the options, or else to the one that the library passed last. It may block, and is
// called by no one who may not. A logger that panics costs its line, not the process: nobody else is on these goroutines who
// could contain it.
func (a *Async) log(level slog.Level, message string, name Batch, more ...any) {
	defer func() { _ = recover() }()
	if name != (Batch{}) {
		more = append([]any{"instance", name.Instance, "first", name.First, "last", name.Last, "attempt", name.Attempt}, more...)
	}
	if a.options.Logger != nil {
		a.options.Logger.Log(context.Background(), level, message, more...)
		return
	}
	a.mu.Lock()
	logger := a.logger
	a.mu.Unlock()
	if level >= slog.LevelError {
		logger.Error(message, more...) // of a nil logger, too
		return
	}
	logger.Warn(message, more...)
}

// logFailure tells of an attempt that failed.
func (a *Async) logFailure(name Batch, err error, again bool) {
	level, message := slog.LevelWarn, "exporter: a batch was not exported and is tried again"
	if !again {
		level, message = slog.LevelError, "exporter: a batch was not exported and is dropped, this was its last attempt"
	}
	more := []any{"error", err}
	if panicked, ok := err.(*eventstore.PanicError); ok {
		level = slog.LevelError
		more = append(more, "stack", string(panicked.Stack))
	}
	a.log(level, message, name, more...)
}

// innerLogger is what the inner exporter is handed: the logger that came with the batch, or one that can be called.
func (a *Async) innerLogger(logger *fflog.FFLogger) *fflog.FFLogger {
	if a.options.Logger != nil && !works(logger) {
		return &fflog.FFLogger{LeveledLogger: a.options.Logger}
	}
	return workingLogger(logger)
}

// burst is a run of drops because of a bound, from the first one to the moment when nothing waits any more. The log has two
// lines for it at most, however many batches it has. The zero value is none.
type burst struct {
	batches, events int64
	reported        bool
}

// beginBurstLocked returns the burst if it is to be reported.
func (a *Async) beginBurstLocked() burst {
	if a.burst.batches == 0 || a.burst.reported || a.reporting != nil {
		return burst{}
	}
	a.burst.reported = true
	a.reporting = make(chan struct{})
	return a.burst
}

// reportBurst tells of the beginning of a burst. Who finds it is the caller of Export, who does not wait for a logger. There
// is one such goroutine at most, and Stop waits for it.
func (a *Async) reportBurst(b burst) {
	if !b.reported {
		return
	}
	go func() {
		defer func() {
			a.mu.Lock()
			defer a.mu.Unlock()
			close(a.reporting)
			a.reporting = nil
		}()
		a.log(slog.LevelWarn, fmt.Sprintf("exporter: the %v batches are being dropped, more wait than may", a.options.Full), Batch{},
			"batches", b.batches, "events", b.events, "MaxBatches", a.options.MaxBatches, "MaxEvents", a.options.MaxEvents)
	}()
}

// endBurstLocked ends the burst if nothing waits, and returns it.
func (a *Async) endBurstLocked() burst {
	if a.queue.oldest != nil {
		return burst{}
	}
	over := a.burst
	a.burst = burst{}
	return over
}

func (a *Async) logBurstEnd(b burst) {
	if b.batches > 0 {
		a.log(slog.LevelWarn, "exporter: no more batches are being dropped", Batch{}, "batches", b.batches, "events", b.events)
	}
}
