package eventstore

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// handed is what one call of a handler got.
type handed struct {
	Attempt
	events   []int64
	at       time.Duration // since the sink was made
	deadline time.Duration // of the context, since the call
}

// sink is a handler that keeps what it was handed, counts its calls that overlap, and does what the test wants.
type sink struct {
	t     testing.TB
	began time.Time
	do    func(ctx context.Context, h handed) error // nil returns nil

	mu            sync.Mutex // guards the fields below
	calls         []handed
	running, most int
	got           []int64 // of the calls that returned nil
}

func (k *sink) handle(ctx context.Context, b Batch[int64]) error {
	attempt, ok := AttemptFrom(ctx)
	if !ok {
		k.t.Error("a call without an attempt in its context")
	}
	if b.First() != attempt.First || b.Last() != attempt.Last {
		k.t.Errorf("the batch is %d to %d, the attempt says %d to %d", b.First(), b.Last(), attempt.First, attempt.Last)
	}
	h := handed{Attempt: attempt, events: b.AppendTo(nil), at: time.Since(k.began)}
	if at, ok := ctx.Deadline(); ok {
		h.deadline = time.Until(at)
	}
	k.mu.Lock()
	k.calls = append(k.calls, h)
	k.running++
	k.most = max(k.most, k.running)
	k.mu.Unlock()
	succeeded := false
	defer func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.running--
		if succeeded {
			k.got = append(k.got, h.events...)
		}
	}()
	if k.do != nil {
		if err := k.do(ctx, h); err != nil {
			return err
		}
	}
	succeeded = true
	return nil
}

// seen returns the calls so far.
func (k *sink) seen() []handed {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]handed(nil), k.calls...)
}

// wantRuns fails the test unless the calls had these numbers of events.
func (k *sink) wantRuns(lengths ...int) {
	k.t.Helper()
	calls := k.seen()
	same := len(calls) == len(lengths)
	for i := 0; same && i < len(calls); i++ {
		same = len(calls[i].events) == lengths[i]
	}
	if !same {
		var got []int
		for _, h := range calls {
			got = append(got, len(h.events))
		}
		k.t.Fatalf("batches of %v events, want %v", got, lengths)
	}
}

// wantTimes fails the test unless the calls came at these times.
func (k *sink) wantTimes(at ...time.Duration) {
	k.t.Helper()
	calls := k.seen()
	same := len(calls) == len(at)
	for i := 0; same && i < len(calls); i++ {
		same = calls[i].at == at[i]
	}
	if !same {
		var got []time.Duration
		for _, h := range calls {
			got = append(got, h.at)
		}
		k.t.Fatalf("calls at %v, want %v", got, at)
	}
}

// rig is a pump with all that it needs.
type rig struct {
	store    *Store[int64]
	consumer *Consumer[int64]
	pump     *Pump[int64]
	sink     *sink
	last     int64 // event
}

func newRig(t testing.TB, c ConsumerOptions, o PumpOptions, do func(context.Context, handed) error) *rig {
	t.Helper()
	r := &rig{store: newStore(t, 4), sink: &sink{t: t, began: time.Now(), do: do}}
	r.addPump(t, "sink", c, o)
	return r
}

// addPump makes the rig's pump one of a new consumer.
func (r *rig) addPump(t testing.TB, name string, c ConsumerOptions, o PumpOptions) {
	t.Helper()
	r.consumer = addTo(t, r.store, name, c)
	pump, err := NewPump(r.consumer, r.sink.handle, o)
	if err != nil {
		t.Fatal(err)
	}
	r.pump = pump
}

// append appends n events.
func (r *rig) append(n int) {
	for range n {
		r.last++
		r.store.Append(r.last)
	}
}

// stop stops the pump, which has to succeed, and checks that every event was handled once, in order, by one call at a time.
func (r *rig) stop(t testing.TB) {
	t.Helper()
	if err := r.pump.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	r.sink.mu.Lock()
	defer r.sink.mu.Unlock()
	if got := int64(len(r.sink.got)); got != r.last {
		t.Fatalf("%d events handled, want %d", got, r.last)
	}
	for i, event := range r.sink.got {
		if event != int64(i+1) {
			t.Fatalf("event %d comes at place %d", event, i+1)
		}
	}
	if r.sink.most > 1 {
		t.Fatalf("%d calls at a time", r.sink.most)
	}
}

var errSink = errors.New("the sink is down")

// failures is a handler that fails n times.
func failures(n int) func(context.Context, handed) error {
	return func(context.Context, handed) error {
		if n--; n >= 0 {
			return errSink
		}
		return nil
	}
}

// firstFail is a handler that fails the first n attempts of each batch.
func firstFail(n int) func(context.Context, handed) error {
	return func(_ context.Context, h handed) error {
		if h.Number <= n {
			return errSink
		}
		return nil
	}
}

// after waits in the bubble's time, until all is still.
func after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// constant is a Rand that returns x.
func constant(x float64) func() float64 { return func() float64 { return x } }

// almost is the largest number that a Rand returns.
const almost = 1 - 0x1p-53

func timeout(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}
