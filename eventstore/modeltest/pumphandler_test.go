package modeltest

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"time"

	"github.com/offlock/offlock/eventstore"
)

// handle is the handler: it notes the call, checks what can be checked there and then, and does what the script says.
func (d *pumped) handle(ctx context.Context, b eventstore.Batch[int]) error {
	c := seen{events: b.AppendTo(nil), began: time.Now(), deed: deed{does: succeeds}}
	c.attempt, _ = eventstore.AttemptFrom(ctx)
	deadline, limited := ctx.Deadline()
	d.state.Lock()
	at := len(d.calls)
	if at < len(d.plan.script) {
		c.deed = d.plan.script[at]
	}
	d.running++
	if d.running > 1 {
		d.breach("two calls at a time: %+v", c.attempt)
	}
	if d.stopped && ctx.Err() == nil { // one that was under way when Stop gave up may begin late
		d.breach("a call after Stop: %+v", c.attempt)
	}
	if !limited || deadline.After(c.began.Add(d.plan.options.Timeout)) {
		d.breach("a call at %v with the deadline %v", c.began, deadline)
	}
	d.check(c)
	d.calls = append(d.calls, c)
	d.state.Unlock()
	defer func() {
		d.state.Lock()
		d.calls[at].ended = time.Now()
		d.running--
		d.state.Unlock()
	}()
	return d.do(ctx, c.deed)
}

var errSink = errors.New("the sink says no")

func (d *pumped) do(ctx context.Context, e deed) error {
	switch e.does {
	case succeeds:
		return nil
	case minds:
		<-ctx.Done()
		d.state.Lock()
		if now := time.Now(); !d.ends.IsZero() && now.After(d.ends) {
			d.breach("a call sees its context end %v too late for Stop", now.Sub(d.ends))
		}
		d.state.Unlock()
		return ctx.Err()
	case hangsForever:
		<-d.over
		return errSink
	case hangs, hangsToFail:
		time.Sleep(e.time)
		if e.does == hangs {
			return nil
		}
	case panics:
		panic(errSink)
	case exits:
		runtime.Goexit()
	}
	return eventstore.RetryAfter(errSink, e.ask)
}

// check compares a call with the one before it: a retry is the same batch, at its time; anything else is what comes next.
func (d *pumped) check(c seen) {
	a := c.attempt
	if a.Consumer != d.consumer.Name() || int(a.Last-a.First)+1 != len(c.events) || len(c.events) > d.plan.options.MaxBatch {
		d.breach("a batch of %d events: %+v", len(c.events), a)
	}
	for i, event := range c.events {
		if int64(event) != a.First+int64(i) {
			d.breach("at offsets %d to %d: %v", a.First, a.Last, c.events)
			return
		}
	}
	if late := c.began.Sub(d.addedAt(c.events[0])); d.healthy() && d.timely && late > d.plan.options.Interval {
		d.breach("a healthy consumer sees an event %v after it was added", late)
	}
	if len(d.calls) == 0 {
		if a.Number != 1 {
			d.breach("the first call is %+v", a)
		}
		return
	}
	last := d.calls[len(d.calls)-1]
	if last.deed.ok() {
		if a.Number != 1 || a.First <= last.attempt.Last || !a.Began.Equal(c.began) {
			d.breach("after %+v was handled: %+v", last.attempt, a)
		}
		return
	}
	want := last.attempt
	want.Number++
	if a != want || !slices.Equal(c.events, last.events) {
		d.breach("after %+v failed: %+v with %v", last.attempt, a, c.events)
	}
	if slices.ContainsFunc(d.urged, func(at time.Time) bool { return !at.Before(last.began) && !at.After(c.began) }) {
		return // Flush and Stop do not wait for a backoff
	}
	if got, want := c.began.Sub(last.ended), d.backoff(last); got != want {
		d.breach("attempt %d comes %v after the one before, want %v", a.Number, got, want)
	}
}

// backoff is how long to wait after a failed call.
func (d *pumped) backoff(c seen) time.Duration {
	bound := d.plan.options.BackoffBase
	for range c.attempt.Number - 1 {
		bound = min(2*bound, d.plan.options.BackoffCap)
	}
	wait := time.Duration(d.plan.rand * float64(bound))
	if c.deed.does == fails || c.deed.does == hangsToFail {
		wait = max(wait, min(c.deed.ask, time.Hour))
	}
	return wait
}
