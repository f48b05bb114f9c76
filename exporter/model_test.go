package exporter_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/offlock/offlock/exporter"
)

// naive is what an Async is to do, in slices.
type naive struct {
	single                bool
	full                  exporter.DropPolicy
	maxBatches, maxEvents int
	maxAttempts           int

	next     int64
	waiting  []exporter.Batch
	inFlight *exporter.Batch // with the attempt that is being made
	batches  exporter.AsyncCounts
	events   exporter.AsyncCounts
	failures int64
}

func size(b exporter.Batch) int64 { return b.Last - b.First + 1 }

func (m *naive) hand(n int64) {
	b := exporter.Batch{First: m.next, Last: m.next + n - 1}
	m.next += n
	m.batches.Added++
	m.events.Added += n
	if m.full == exporter.DropNewest && len(m.waiting) > 0 && !m.fits(append(m.waiting[:len(m.waiting):len(m.waiting)], b)) {
		m.drop(b)
		return
	}
	m.waiting = append(m.waiting, b)
	for len(m.waiting) > 1 && !m.fits(m.waiting) {
		m.drop(m.waiting[0])
		m.waiting = m.waiting[1:]
	}
}

func (m *naive) fits(waiting []exporter.Batch) bool {
	events := int64(0)
	for _, b := range waiting {
		events += size(b)
	}
	return len(waiting) <= m.maxBatches && events <= int64(m.maxEvents)
}

func (m *naive) drop(b exporter.Batch) {
	m.batches.Dropped++
	m.events.Dropped += size(b)
}

// begin is a call of the inner exporter, if there is to be one.
func (m *naive) begin() (exporter.Batch, bool) {
	if m.inFlight == nil {
		if len(m.waiting) == 0 {
			return exporter.Batch{}, false
		}
		b := m.waiting[0]
		m.inFlight, m.waiting = &b, m.waiting[1:]
	}
	m.inFlight.Attempt++
	return *m.inFlight, true
}

func (m *naive) end(ok, last bool) {
	if !ok {
		m.failures++
		if !last && (m.maxAttempts == 0 || m.inFlight.Attempt < m.maxAttempts) {
			return
		}
		m.drop(*m.inFlight)
	} else {
		m.batches.Handled++
		m.events.Handled += size(*m.inFlight)
	}
	m.inFlight = nil
}

func (m *naive) counts() (batches, events exporter.AsyncCounts) {
	batches, events = m.batches, m.events
	for _, b := range m.waiting {
		batches.Waiting++
		events.Waiting += size(b)
	}
	if m.inFlight != nil {
		batches.InFlight, events.InFlight = 1, size(*m.inFlight)
	}
	return batches, events
}

// driver has an Async and its model do the same.
type driver struct {
	*rapid.T
	a    *exporter.Async
	g    *gate
	m    *naive
	call *received // that the inner exporter has
}

// check waits until the Async stands where the model does, and compares. The last outcome of a call may be on its way.
func (d *driver) check() {
	d.Helper()
	batches, events := d.m.counts()
	var s exporter.AsyncStats
	for range 1_000_000 {
		if s = d.a.Stats(); s.Batches == batches {
			break
		}
		runtime.Gosched()
	}
	if s.Batches != batches || s.Events != events || s.Failures != d.m.failures {
		d.Fatalf("stats: %+v\nwant batches %+v, events %+v, %d failures", s, batches, events, d.m.failures)
	}
}

// settle takes the next call in, if the model says that there is one.
func (d *driver) settle() {
	if d.call != nil {
		return
	}
	want, ok := d.m.begin()
	if !ok {
		return
	}
	c := <-d.g.calls
	d.call = &c
	got := exporter.Batch{First: c.First, Last: c.Last, Attempt: c.Attempt}
	var events []int
	for n := want.First; n <= want.Last; n++ {
		events = append(events, int(n))
	}
	if got != want || !cmp.Equal(c.events, events) {
		d.Fatalf("the inner exporter got %+v, events %v; want %+v", got, c.events, want)
	}
}

func (d *driver) hand(n int) {
	if err := d.a.Export(context.Background(), nil, numbered(int(d.m.next), n)); err != nil {
		d.Fatalf("Export: %v", err)
	}
	d.m.hand(int64(n))
}

func (d *driver) reply(err error, last bool) {
	d.m.end(err == nil, last)
	d.call.reply <- err
	d.call = nil
}

// TestAsyncModel does at random what a library, an inner exporter and a service do, and compares each step with the model.
func TestAsyncModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &naive{
			single:      rapid.Bool().Draw(t, "single"),
			full:        rapid.SampledFrom([]exporter.DropPolicy{exporter.DropOldest, exporter.DropNewest}).Draw(t, "full"),
			maxBatches:  rapid.IntRange(1, 6).Draw(t, "maxBatches"),
			maxEvents:   rapid.IntRange(1, 40).Draw(t, "maxEvents"),
			maxAttempts: rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "maxAttempts"),
		}
		g := newGate()
		g.single = m.single
		a, err := exporter.NewAsync(g, exporter.AsyncOptions{
			MaxBatches: m.maxBatches, MaxEvents: m.maxEvents, Full: m.full, MaxAttempts: m.maxAttempts, BackoffBase: 1, BackoffCap: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { // rapid ends some runs before their end
			close(g.gone)
			_ = a.Stop(context.Background())
		}()
		d := &driver{t, a, g, m, nil}
		sizes := rapid.IntRange(1, 20)
		outcome := rapid.SampledFrom([]error{nil, nil, errDown})
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			switch {
			case d.call == nil: // idle: the batch is exported as it comes
				d.hand(sizes.Draw(t, "first events"))
			case rapid.IntRange(0, 2).Draw(t, "what") > 0:
				d.hand(sizes.Draw(t, "events"))
			default:
				d.reply(outcome.Draw(t, "outcome"), false)
			}
			d.settle()
			d.check()
		}
		d.stop(rapid.IntRange(0, 40).Draw(t, "calls during Stop"), outcome)
	})
}

// stop stops the Async, whose context is canceled after some more calls, during the next one.
func (d *driver) stop(calls int, outcome *rapid.Generator[error]) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- d.a.Stop(ctx) }()
	for ; d.call != nil && calls > 0; calls-- {
		d.reply(outcome.Draw(d.T, "outcome during Stop"), false)
		d.settle()
	}
	batches, _ := d.m.counts()
	left := batches.Lag()
	if d.call == nil {
		if err := <-stopped; err != nil {
			d.Fatalf("Stop: %v, want nil as everything was settled", err)
		}
	} else {
		cancel()
		err := <-stopped
		var failed *exporter.StopError
		if !errors.As(err, &failed) || failed.Batches != left || !errors.Is(err, exporter.ErrHung) {
			d.Fatalf("Stop: %v, want %d batches left, and a call that does not return", err, left)
		}
		for _, b := range d.m.waiting {
			d.m.drop(b)
		}
		d.m.waiting = nil
		d.check()
		d.reply(outcome.Draw(d.T, "outcome after Stop"), true)
	}
	d.check()
	if err := d.a.Export(context.Background(), nil, numbered(0, 1)); !errors.Is(err, exporter.ErrStopped) {
		d.Fatalf("Export after Stop: %v", err)
	}
}
