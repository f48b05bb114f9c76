package exporter

import (
	"context"
	"time"
)

// An inner exporter that can be stopped may keep what its sink does not take, as a spool does, once it knows that the process is
// going down. A call that began before Stop does not know, and might use all the time up. So it is ended when half of the time
// is over, and made again at once, with [Batch.Stopping].

// hurryAfterHalf arranges that for a Stop whose drain has a deadline. The function that it returns takes it back.
func (a *Async) hurryAfterHalf(drain context.Context) (end func()) {
	deadline, ok := drain.Deadline()
	if a.stopper == nil || !ok {
		return func() {}
	}
	left := time.Until(deadline)
	by := deadline.Add(-margin(left))
	a.mu.Lock()
	if a.drainBy.IsZero() || by.Before(a.drainBy) {
		a.drainBy = by
	}
	a.mu.Unlock()
	timer := time.AfterFunc(left/2, a.hurry)
	return func() { timer.Stop() }
}

// hurry ends the context of a call that began before Stop.
func (a *Async) hurry() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cancelCall != nil && !a.current.stopping {
		a.cancelCall()
	}
}

// lastCall returns the context for another attempt of a batch whose last one began before Stop, and failed after it. It says
// whether there is to be one.
func (a *Async) lastCall(ctx context.Context, b *held) (last context.Context, end context.CancelFunc, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if ctx.Err() != nil || a.drainBy.IsZero() || b.stopping {
		return nil, nil, false
	}
	last, end = context.WithDeadline(ctx, a.drainBy)
	return last, end, true
}
