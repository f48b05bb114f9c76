package modeltest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/offlock/offlock/eventstore"
)

func (d *pumped) urge() {
	d.state.Lock()
	defer d.state.Unlock()
	d.urged = append(d.urged, time.Now())
}

func (d *pumped) flush(timeout time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	d.urge()
	began, before := time.Now(), d.consumer.Stats()
	d.state.Lock()
	tried := len(d.calls)
	backsOff := tried > 0 && d.running == 0 && !d.calls[tried-1].deed.ok() && d.calls[tried-1].ended.Before(began)
	d.state.Unlock()
	err := d.pump.Flush(ctx)
	after := d.consumer.Stats()
	d.state.Lock()
	if backsOff && !errors.Is(err, eventstore.ErrStopped) && (len(d.calls) == tried || !d.calls[tried].began.Equal(began)) {
		d.breach("Flush says %v, and did not try at once", err)
	}
	d.state.Unlock()
	switch {
	case err == nil && after.Handled+after.Dropped < before.Added:
		d.breach("Flush says nil, and of %+v this is left: %+v", before, after)
	case err != nil && ctx.Err() == nil && !d.expected(err):
		d.breach("Flush says %v", err)
	case time.Since(began) > timeout:
		d.breach("Flush took %v of %v", time.Since(began), timeout)
	}
}

// expected says whether an error is one that a handler of a plan or a stop can be the reason for.
func (d *pumped) expected(err error) bool {
	for _, reason := range []error{errSink, eventstore.ErrHung, eventstore.ErrStopped, context.DeadlineExceeded, context.Canceled} {
		if errors.Is(err, reason) {
			return true
		}
	}
	// The error of a handler that ended its goroutine is not exported.
	return slices.ContainsFunc(d.plan.script, func(e deed) bool { return e.does == exits })
}

// stop stops all pumps by as many callers as there are deadlines, which all get the same.
func (l *life) stop(deadlines []time.Duration) {
	var all sync.WaitGroup
	for _, d := range l.pumps {
		d.urge()
		all.Go(func() { d.stop(deadlines) })
	}
	all.Wait()
}

func (d *pumped) stop(deadlines []time.Duration) {
	if len(deadlines) == 0 {
		deadlines = []time.Duration{time.Hour}
	}
	began, limit := time.Now(), slices.Min(deadlines)
	d.state.Lock()
	d.ends = began.Add(limit - min(limit/10, 500*time.Millisecond))
	d.state.Unlock()
	results := make([]error, len(deadlines))
	var all sync.WaitGroup
	for i, deadline := range deadlines {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), deadline)
			defer cancel()
			results[i] = d.pump.Stop(ctx)
		})
	}
	all.Wait()
	d.state.Lock()
	d.stopped = true
	d.state.Unlock()
	if took := time.Since(began); took > limit {
		d.breach("Stop took %v of %v", took, limit)
	}
	for _, err := range results {
		if err != results[0] {
			d.breach("one Stop says %v, another one %v", results[0], err)
		}
	}
	d.stopSays(results[0], d.pump.Stats())
}

// stopSays checks the result of Stop. The store was closed before, so nothing can have come since.
func (d *pumped) stopSays(err error, got eventstore.PumpStats) {
	if got.Waiting != 0 {
		d.breach("after Stop, events wait: %+v", got)
	}
	var stopErr *eventstore.StopError
	switch {
	case err == nil && got.InFlight > 0:
		d.breach("Stop says nil, and left a batch: %+v", got)
	case err != nil && (!errors.As(err, &stopErr) || stopErr.Left <= 0 || stopErr.Consumer != got.Name):
		d.breach("Stop says %v", err)
	case err != nil && !errors.Is(err, context.DeadlineExceeded):
		d.breach("Stop gave up for another reason than its context: %v", err)
	case err != nil && stopErr.Left > got.Added:
		d.breach("Stop says %v, and this is left: %+v", err, got)
	}
	if err := d.pump.Flush(context.Background()); !errors.Is(err, eventstore.ErrStopped) {
		d.breach("Flush after Stop says %v", err)
	}
	d.pump.Start()
	if again := d.pump.Stop(context.Background()); again != err {
		d.breach("Stop says %v, and again %v", err, again)
	}
}

func (d *pumped) addsUp() {
	if got := d.pump.Stats(); got.Added != got.Handled+got.Dropped+got.Lag() || got.Added != int64(len(d.added)) {
		d.breach("%d were appended: %+v", len(d.added), got)
	}
}

// final compares the figures with what the handler saw, when everyone is gone.
func (d *pumped) final() {
	var want eventstore.PumpStats
	for _, c := range d.calls {
		want.Calls++
		if c.deed.ok() {
			want.Handled += int64(len(c.events))
		} else {
			want.Failures++
		}
		if c.deed.does == panics {
			want.Panics++
		}
	}
	got := d.pump.Stats()
	if got.Calls != want.Calls || got.Failures != want.Failures || got.Panics != want.Panics || got.Hung {
		d.breach("the pump counts %+v, and its handler %+v", got, want)
	}
	if got.Handled != want.Handled || got.Lag() != 0 {
		d.breach("%d events were handled: %+v", want.Handled, got)
	}
	if roomy := d.plan.consumer.MaxLag == 10_000; roomy && d.healthy() && d.timely && got.Dropped > 0 {
		d.breach("a healthy consumer lost events: %+v", got)
	}
	d.addsUp()
}

func (d *pumped) healthy() bool { return len(d.plan.script) == 0 }
