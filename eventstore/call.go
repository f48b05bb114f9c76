package eventstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"
)

// PanicError is the failure of a handler that panicked.
type PanicError struct {
	Value any    // what it panicked with
	Stack []byte // where, as [debug.Stack] prints it
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("eventstore: the handler panicked: %v", e.Value)
}

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// errGoexit is the failure of a handler that ended its goroutine (runtime.Goexit, a test's FailNow).
var errGoexit = errors.New("eventstore: the handler ended its goroutine and returned nothing; return an error instead")

// call is the call of a handler that runs. The zero value is none.
type call struct {
	returned <-chan error
	overdue  <-chan time.Time // when it is to be abandoned
	cancel   context.CancelFunc
	hung     bool // it was abandoned
}

// handle has the batch handled, and waits for that while it serves whatever else happens. It says whether the handler
// returned: not if the pump gave up before, and then the call settles the batch by itself.
func (l *loop[T]) handle() (returned bool, err error) {
	l.begin()
	for l.call.returned != nil {
		if l.alive.Err() != nil {
			return false, nil
		}
		l.wait()
	}
	return true, l.outcome
}

// begin starts a call of the handler.
func (l *loop[T]) begin() {
	timeout := l.options.Timeout
	ends := time.Now().Add(timeout)
	if at := l.stop.callsEnd; !at.IsZero() && at.Before(ends) {
		ends = at
	}
	ctx := context.WithValue(l.alive, attemptKey{}, Attempt{
		Consumer: l.consumer.name,
		First:    l.batch.First(),
		Last:     l.batch.Last(),
		Number:   l.failed + 1,
		Began:    l.began,
	})
	ctx, cancel := context.WithDeadline(ctx, ends)
	returned := make(chan error)
	l.call = call{returned: returned, cancel: cancel, overdue: time.After(max(timeout, timeout+margin(timeout)))}
	l.count(func(c *callCounts) { c.calls++ })
	go l.run(ctx, cancel, l.batch, returned)
}

// run is the goroutine of one call. It gives the outcome to the loop, or sees to it if the loop is gone: one of the two
// receives it, as the loop ends before done is closed.
func (p *Pump[T]) run(ctx context.Context, cancel context.CancelFunc, batch Batch[T], returned chan<- error) {
	defer cancel()
	err := errGoexit
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{value, debug.Stack()}
		}
		select {
		case returned <- err:
		case <-p.done:
			p.settleLate(batch, err)
		}
	}()
	err = p.handler(ctx, batch)
}

// returned takes the outcome of the call in.
func (l *loop[T]) returned(err error) {
	l.call, l.outcome = call{}, err
	l.countReturn(err)
}

// abandon waits no longer for the call. Its batch stays in flight, and the next call comes after it has returned.
func (l *loop[T]) abandon() {
	l.call.overdue, l.call.hung = nil, true
	err := l.hungError()
	l.count(func(c *callCounts) { c.abandoned, c.hung, c.lastError = c.abandoned+1, true, err })
	l.answerAll(err)
	l.log(l.batch).Error("eventstore: the handler does not return; no other batch is handled before it does", "attempt", l.failed+1)
}

func (l *loop[T]) hungError() error {
	return fmt.Errorf("%w: consumer %q, events %d to %d, attempt %d; have it return when its context ends",
		ErrHung, l.consumer.name, l.batch.First(), l.batch.Last(), l.failed+1)
}

// settleLate ends the flight of a batch whose call returned after the pump had stopped.
func (p *Pump[T]) settleLate(batch Batch[T], err error) {
	p.countReturn(err)
	if err == nil {
		_ = p.consumer.Commit(batch) // it is in flight: the loop left it so
		return
	}
	_ = p.consumer.Discard(batch)
	p.log(batch).Error("eventstore: a batch was dropped, its handler failed after the pump had stopped", failure(err)...)
}

// log is the logger, with the batch that a line is about.
func (p *Pump[T]) log(batch Batch[T]) *slog.Logger {
	return p.options.Logger.With("consumer", p.consumer.name, "first", batch.First(), "last", batch.Last())
}

// failure is an error as a line of the log has it.
func failure(err error) []any {
	if panicked, ok := err.(*PanicError); ok && panicked != nil {
		return []any{"error", err, "stack", string(panicked.Stack)}
	}
	return []any{"error", err}
}
