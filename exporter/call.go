package exporter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/eventstore"
)

// ErrHung is wrapped by [AsyncStats.LastError] and by what [Async.Stop] returns while a call of the inner exporter does not
// return.
var ErrHung = errors.New("exporter: the inner exporter does not return")

// errGoexit is the failure of an inner exporter that ended its goroutine.
var errGoexit = errors.New("exporter: the inner exporter ended its goroutine and returned nothing; it is to return an error")

// handle is what the pump calls, once a batch and attempt and never twice at the same time.
func (a *Async) handle(ctx context.Context, batch eventstore.Batch[*held]) (err error) {
	for b := range batch.All() { // there is one
		if err = a.call(ctx, b); err == nil {
			break
		}
		if last, end, ok := a.lastCall(ctx, b); ok {
			err = a.call(last, b)
			end()
		}
	}
	return err
}

// call has the inner exporter export a batch.
func (a *Async) call(ctx context.Context, b *held) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	name, events, ok := a.begin(b, cancel)
	if !ok {
		return nil // it was dropped
	}
	unwatch := a.watch(ctx, name)
	err = errGoexit // unless the inner exporter returns
	defer func() {
		if value := recover(); value != nil {
			err = &eventstore.PanicError{Value: value, Stack: debug.Stack()}
		}
		unwatch()
		if !a.end(b, name, err) {
			err = nil // it is settled, and the pump's work with it is done
		}
	}()
	// A copy: what an exporter does to its slice changes neither the next attempt, nor, if it keeps it, what comes after.
	return a.sink.Export(WithBatch(ctx, name), a.innerLogger(b.logger), slices.Clone(events))
}

// begin makes a batch the one that the inner exporter has; cancel ends the context of the call.
func (a *Async) begin(b *held, cancel context.CancelFunc) (name Batch, events []ffexporter.ExportableEvent, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch b.state {
	case waiting: // the oldest, as the store and the queue have one order
		a.current = a.queue.pop()
		b.state = inFlight
	case inFlight:
	default:
		return Batch{}, nil, false
	}
	a.calling = true
	a.counts.Calls++
	b.attempt++
	b.stopping = a.stopping
	a.cancelCall = cancel
	name = Batch{
		Instance: a.options.Instance,
		First:    b.first,
		Last:     b.first + b.size - 1,
		Attempt:  b.attempt,
		Began:    b.began,
		Stopping: a.stopping,
	}
	return name, b.events, true
}

// end settles a batch, or leaves it in flight, and says whether it is to be tried again.
func (a *Async) end(b *held, name Batch, err error) (again bool) {
	a.mu.Lock()
	a.calling, a.counts.Hung = false, false
	a.cancelCall = nil
	var over burst
	var spent []ffexporter.ExportableEvent
	switch {
	case err == nil:
		a.current = nil
		spent = a.settleLocked(b, handled)
		over = a.endBurstLocked()
	case a.failLocked(b, err):
		a.current = nil
		spent = a.settleLocked(b, dropped)
	default:
		again = true
	}
	a.mu.Unlock()

	a.recycle(spent)
	if err != nil {
		a.logFailure(name, err, again)
	}
	a.logBurstEnd(over)
	return again
}

// failLocked counts a failure, and says whether it was the last attempt.
func (a *Async) failLocked(b *held, err error) (last bool) {
	a.counts.Failures++
	a.counts.LastError = err
	if _, ok := err.(*eventstore.PanicError); ok {
		a.counts.Panics++
	}
	return a.ended || a.options.MaxAttempts > 0 && b.attempt >= a.options.MaxAttempts
}

// watch tells of a call that does not return, a little after its context has ended. The function that it returns ends the
// watch; it waits for a line that is being logged.
func (a *Async) watch(ctx context.Context, name Batch) (end func()) {
	ends, _ := ctx.Deadline() // the pump sets one
	left := time.Until(ends)
	told := make(chan struct{})
	timer := time.AfterFunc(max(left, left+margin(left)), func() { // the sum can overflow
		defer close(told)
		if a.hung() {
			a.log(slog.LevelError, "exporter: the inner exporter does not return; nothing else is exported before it does", name)
		}
	})
	return func() {
		if !timer.Stop() {
			<-told
		}
	}
}

// margin is how long a call may take to return when its context has ended. Arbitrary; the pump's own.
func margin(d time.Duration) time.Duration { return min(d/10, 500*time.Millisecond) }

// hung counts the call that runs as hung, and says whether that is new. (Its watch ends before it does.)
func (a *Async) hung() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	known := a.counts.Hung
	a.hungLocked()
	return !known
}

// hungLocked counts the call that runs as hung, once.
func (a *Async) hungLocked() {
	if a.counts.Hung {
		return
	}
	b := a.current
	a.counts.Hung = true
	a.counts.HungCalls++
	a.counts.LastError = fmt.Errorf("%w: events %d to %d, attempt %d; have it return when its context ends",
		ErrHung, b.first, b.first+b.size-1, b.attempt)
}
