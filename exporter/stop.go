package exporter

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/offlock/offlock/eventstore"
)

// stopper is what an inner exporter has that can be stopped. An [Async] has it, too.
type stopper interface {
	Stop(context.Context) error
}

// StopError is returned by [Async.Stop] when it gave up.
type StopError struct {
	// Batches and Events were not exported. They are counted as dropped, but for those of a call that still runs: they are
	// handled or dropped when it returns.
	Batches, Events int64
	// Err wraps the error of the context that ended, and what was in the way: the error of the last attempt, or [ErrHung].
	Err error
}

func (e *StopError) Error() string {
	return fmt.Sprintf("exporter: stopped with %d batches, %d events, not exported: %v", e.Batches, e.Events, e.Err)
}

// Unwrap returns Err.
func (e *StopError) Unwrap() error { return e.Err }

// Stop refuses what Export is handed from now on, exports what waits, and ends the goroutine; then it stops the inner exporter,
// if that has a method Stop(context.Context) error. Close the client first: what it flushes at its end is still taken then.
//
// A batch that fails is tried again, with its backoff, for as long as the context allows; so give it a deadline. The inner
// exporter sees [Batch.Stopping], and contexts that end somewhat before that: early enough to return, and for its Stop, if it
// has one, to be called with a tenth of the time left, a second at most. If it has one, a call that began before is ended when
// half of the time is over, and made again.
//
// Stop must not be called by the inner exporter, for which it waits.
//
// Stop returns nil when nothing is left, as all was exported or was dropped before (see [Async.Stats]), and else a [StopError];
// either is joined with the error of the inner exporter's Stop. It returns by the deadline: a call that has not returned is left
// behind, and when it returns after all, its batch is settled. It may be called before Export, and any number of times: what
// ended is the same for all calls, and the context that ends first counts.
func (a *Async) Stop(ctx context.Context) error {
	a.mu.Lock()
	a.stopping = true
	a.mu.Unlock()
	a.store.Close()

	drain, cancel := a.drainContext(ctx)
	defer a.hurryAfterHalf(drain)()
	err := a.pump.Stop(drain)
	cancel()
	a.finish.Do(func() {
		a.left = a.abandon(ctx, err)
		if a.stopper == nil {
			a.result = a.left
			close(a.finished)
			return
		}
		go func() {
			defer close(a.finished)
			a.result = errors.Join(a.left, errGoexit) // unless the inner exporter's Stop returns
			a.result = errors.Join(a.left, a.stopInner(ctx))
		}()
	})
	a.waitReport(ctx)
	select {
	case <-a.finished:
		return a.result
	default: // so that a context which is done does not hide a result that is there
	}
	select {
	case <-a.finished:
		return a.result
	case <-ctx.Done():
		return errors.Join(a.left, fmt.Errorf("%w: its Stop was called, %w", ErrHung, ctx.Err()))
	}
}

// drainContext ends early enough for the inner exporter's Stop.
func (a *Async) drainContext(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if a.stopper == nil || !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-min(time.Until(deadline)/10, time.Second)))
}

// abandon is called when the pump has ended, with what it returned: it drops what is left, but for a batch whose call still
// runs, and returns the error for it.
func (a *Async) abandon(ctx context.Context, pumped error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = true
	stats := a.statsLocked()
	if stats.Batches.Lag() == 0 {
		return nil
	}
	failed := &StopError{Batches: stats.Batches.Lag(), Events: stats.Events.Lag(), Err: ctx.Err()}
	if failed.Err == nil { // somebody else's context ended, or too little of this one's time is left
		failed.Err = context.DeadlineExceeded
		if !is(pumped, failed.Err) {
			failed.Err = context.Canceled
		}
	}
	for a.queue.oldest != nil {
		a.settleLocked(a.queue.pop(), dropped)
	}
	switch {
	case a.current == nil:
	case a.calling:
		a.hungLocked()
		failed.Err = fmt.Errorf("%w: %w", failed.Err, a.counts.LastError)
	default:
		failed.Err = fmt.Errorf("%w: the last attempt failed: %w", failed.Err, a.counts.LastError)
		a.settleLocked(a.current, dropped)
		a.current = nil
	}
	return failed
}

// is is errors.Is for an error that wraps one of the inner exporter, whose methods may panic: most do for a nil pointer, and
// a nil pointer in an error is not a nil error.
func is(err, target error) (found bool) {
	defer func() { _ = recover() }()
	return errors.Is(err, target)
}

// stopInner stops the inner exporter.
func (a *Async) stopInner(ctx context.Context) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &eventstore.PanicError{Value: value, Stack: debug.Stack()}
		}
	}()
	return a.stopper.Stop(ctx)
}

// waitReport waits for the goroutine that logs the beginning of a burst. No other one begins during Stop.
func (a *Async) waitReport(ctx context.Context) {
	a.mu.Lock()
	reporting := a.reporting
	a.mu.Unlock()
	if reporting == nil {
		return
	}
	select {
	case <-reporting:
	case <-ctx.Done():
	}
}
