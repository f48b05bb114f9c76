package eventstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// StopError is returned by [Pump.Stop] when it gave up.
type StopError struct {
	Consumer string
	// Left is how many events were not handled. They are counted as dropped, but for those of a call that still runs: they
	// are handled or dropped when it returns.
	Left int64
	// Err wraps the error of the context that ended, and the reason why events were left if there is one: the error of the last
	// attempt, or [ErrHung].
	Err error
}

func (e *StopError) Error() string {
	return fmt.Sprintf("eventstore: consumer %q was stopped with %d events not handled: %v", e.Consumer, e.Left, e.Err)
}

// Unwrap returns Err.
func (e *StopError) Unwrap() error { return e.Err }

// Stop handles what is stored at the time of the call, and ends the pump and closes its consumer. (Close the store first if there are
// producers left: what they append during Stop may be dropped.) A batch that fails is tried again, with its backoff, for
// as long as the context allows.
//
// It returns nil when everything was handled, and else a [StopError] when the context ends: at once if it is done already. Calls of
// the handler see a context that ends a tenth of the time that is left before that, and at most 500 ms, so that a handler
// which minds its context has returned. One that has not is left behind, and when it returns after all, its batch is settled. No
// other call is made after Stop has returned, and apart from such a call no goroutine is left. (A call that was being made when
// Stop gave up may reach the handler a moment later, with a context that is done.)
//
// Stop may be called before Start, and any number of times: all calls return the same, and the context that ends first counts.
func (p *Pump[T]) Stop(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		p.giveUp(err)
	}
	s := stop{}
	_, s.goal = p.consumer.progress()
	s.deadline, s.limited = ctx.Deadline()

	p.mu.Lock()
	p.stopping = true
	p.launchLocked() // for what is stored
	p.mu.Unlock()

	select {
	case p.stops <- s:
	case <-p.done:
		return p.result
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		p.giveUp(ctx.Err())
		<-p.done // the loop waits for nothing any more
	}
	return p.result
}

// StopAll stops pumps side by side, each with the whole of the time that the context leaves, and joins their errors.
func StopAll(ctx context.Context, pumps ...interface{ Stop(context.Context) error }) error {
	failed := make([]error, len(pumps))
	var all sync.WaitGroup
	for i, p := range pumps {
		all.Go(func() { failed[i] = p.Stop(ctx) })
	}
	all.Wait()
	return errors.Join(failed...)
}

// stop is one caller of Stop.
type stop struct {
	goal     int64 // the offset below which everything is to be settled
	deadline time.Time
	limited  bool // there is a deadline
}

// stopping is what the loop knows of those who called Stop.
type stopping struct {
	wanted   bool
	callsEnd time.Time        // when the contexts of calls end, or zero
	limit    <-chan time.Time // rings then
	reached  bool
}

// over says whether the pump is to end, given whether its goal is reached.
func (s *stopping) over(settled bool) bool { return s.wanted && (settled || s.reached) }

// admitStop takes a caller of Stop in.
func (l *loop[T]) admitStop(s stop) {
	l.ticker.Stop()
	l.retry = nil
	l.goal = max(l.goal, s.goal)
	l.stop.wanted = true
	if !s.limited {
		return
	}
	left := time.Until(s.deadline)
	at := s.deadline.Add(-margin(left))
	if l.stop.callsEnd.IsZero() || at.Before(l.stop.callsEnd) {
		l.stop.callsEnd = at
		l.stop.limit = time.After(time.Until(at))
	}
}

// limitReached ends the context of the call that runs. There will be no other one: it would have no time.
func (l *loop[T]) limitReached() {
	l.stop.limit, l.stop.reached = nil, true
	if l.call.cancel != nil {
		l.call.cancel()
	}
}

// finish is the end of the loop.
func (l *loop[T]) finish() {
	settled, _ := l.consumer.progress()
	cause := context.Cause(l.alive)
	if cause == nil && settled < l.goal {
		cause = context.DeadlineExceeded // a little early, but nothing can be done in the time that is left
	}
	l.endBurst(true)
	before := l.consumer.Stats()
	if l.call.returned == nil {
		_ = l.consumer.Discard(l.batch) // if there is one that failed; a running call settles its own
	} else if !l.call.hung {
		l.abandon()
	}
	l.consumer.Close()
	after := l.consumer.Stats()
	left := after.Added - after.Handled - before.Dropped

	switch {
	case left == 0:
	case cause == nil:
		l.options.Logger.Warn("eventstore: events were dropped that were appended during Stop; close the store before it",
			"consumer", l.consumer.name, "dropped", left)
	default:
		l.result = &StopError{Consumer: l.consumer.name, Left: left, Err: l.why(cause)}
		l.options.Logger.Error("eventstore: Stop gave up", "consumer", l.consumer.name, "left", left, "error", l.result)
	}
	l.answerAll(ErrStopped)
	close(l.done)
}

// why adds to the cause of giving up what was in the way.
func (l *loop[T]) why(cause error) error {
	switch {
	case l.call.hung:
		return fmt.Errorf("%w: %w", cause, l.hungError())
	case l.outcome != nil:
		return fmt.Errorf("%w: the last attempt failed: %w", cause, l.outcome)
	}
	return cause
}
