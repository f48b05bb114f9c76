package eventstore

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A wake-up must not be lost, whenever the event comes: no later event, tick or Flush comes to the rescue here.
func TestPumpConcurrentSafeWakeUp(t *testing.T) {
	const rounds = 3000
	handled := make(chan int, 1) // events of one call
	committing := make(chan struct{}, 1)
	s := newStore(t, 4)
	c := addTo(t, s, "c", ConsumerOptions{Threshold: 1, MaxLag: 1000})
	p, err := NewPump(c, func(_ context.Context, b Batch[int64]) error {
		handled <- b.Len()
		select {
		case committing <- struct{}{}:
		default:
		}
		return nil
	}, PumpOptions{Interval: 1000 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	p.Start()
	lost := time.AfterFunc(time.Minute, func() { close(handled) }) // never, if the pump works
	defer lost.Stop()
	for i := range rounds {
		s.Append(1)
		open := 1 - <-handled
		<-committing
		// The handler returns now, and the commit follows. The next event comes before, during and after that.
		yield(i % 50)
		s.Append(2)
		for open++; open > 0; {
			n, ok := <-handled
			if !ok {
				t.Fatalf("in round %d an event was not handled: %+v", i, p.Stats())
			}
			<-committing
			open -= n
		}
	}
	if err := p.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	if stats := p.Stats(); stats.Handled != 2*rounds {
		t.Errorf("%d events handled, want %d", stats.Handled, 2*rounds)
	}
}

// Everything at once, with a handler that fails in all ways but one: no event is lost, repeated after a success, or out of order,
// and no two calls run at a time.
func TestPumpConcurrentSafe(t *testing.T) {
	const producers, consumers, events = 4, 3, 5000
	s, err := New[numbered](Options{SegmentSize: 16})
	if err != nil {
		t.Fatal(err)
	}
	var pumps []interface{ Stop(context.Context) error }
	var all []*Pump[numbered]
	for i := range consumers {
		c, err := s.Consumer(string(rune('a'+i)), ConsumerOptions{Threshold: 100, MaxLag: producers * events})
		if err != nil {
			t.Fatal(err)
		}
		book := fromTheStart()
		var running atomic.Int32
		p, err := NewPump(c, func(ctx context.Context, b Batch[numbered]) error {
			if running.Add(1) != 1 {
				t.Error("two calls at a time")
			}
			defer running.Add(-1)
			switch rand.IntN(8) {
			case 0:
				return errSink
			case 1:
				panic("at the sink")
			case 2:
				runtime.Goexit()
			case 3:
				runtime.Gosched()
			}
			after, err := book.read(b, false)
			if err != nil {
				t.Error(err)
			}
			book = after
			return nil
		}, PumpOptions{Interval: time.Millisecond, MaxBatch: 150, BackoffBase: 1, BackoffCap: time.Microsecond})
		if err != nil {
			t.Fatal(err)
		}
		pumps, all = append(pumps, p), append(all, p)
	}

	var appending, others sync.WaitGroup
	for producer := range producers {
		appending.Go(func() {
			for seq := range uint64(events) {
				s.Append(number(producer, seq+1))
			}
		})
	}
	over := make(chan struct{})
	for _, p := range all {
		p.Start()
		others.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				ctx, cancel := context.WithCancel(context.Background())
				if rand.IntN(2) == 0 {
					cancel()
				}
				_ = p.Flush(ctx) // fails as the handler does
				cancel()
				p.Start()
				if stats := p.Stats(); stats.Added != stats.Handled+stats.Dropped+stats.InFlight+stats.Waiting {
					t.Errorf("the stats do not add up: %+v", stats)
				}
			}
		})
	}
	appending.Wait()
	s.Close()
	for range 2 {
		others.Go(func() {
			if err := StopAll(context.Background(), pumps...); err != nil {
				t.Error(err)
			}
		})
	}
	if err := StopAll(context.Background(), pumps...); err != nil {
		t.Error(err)
	}
	close(over)
	others.Wait()
	for i, p := range all {
		if stats := p.Stats(); stats.Handled != producers*events || stats.Dropped != 0 || stats.Lag() != 0 {
			t.Errorf("the stats of pump %d are %+v", i, stats)
		}
		if err := p.Flush(context.Background()); !errors.Is(err, ErrStopped) {
			t.Errorf("Flush after Stop returns %v", err)
		}
	}
}

// Start, Flush, Stop and Close in any order and at the same time, with contexts that end or not: all return, all Stops the same,
// and every event is accounted for.
func TestPumpConcurrentSafeLifecycle(t *testing.T) {
	for round := range 300 {
		r := newRig(t, ConsumerOptions{Threshold: 2}, PumpOptions{Interval: time.Microsecond, BackoffBase: 1, BackoffCap: 1},
			func(context.Context, handed) error {
				if rand.IntN(4) == 0 {
					return errSink
				}
				return nil
			})
		r.append(round % 5)
		var all sync.WaitGroup
		results := make(chan error, 6)
		for i := range 6 {
			ctx, cancel := context.WithCancel(context.Background())
			all.Go(func() { results <- r.pump.Stop(ctx) })
			all.Go(func() { _ = r.pump.Flush(context.Background()) })
			all.Go(r.pump.Start)
			all.Go(func() { r.store.Append(7) })
			if i == round%12 { // in every other round one Stop has to give up, if it still runs
				all.Go(cancel)
			}
			if i == round%7 {
				all.Go(r.store.Close)
			}
			defer cancel()
		}
		all.Wait()
		first := <-results
		for range 5 {
			if err := <-results; err != first {
				t.Fatalf("one Stop returns %v, another one %v", first, err)
			}
		}
		// A call that was left behind settles its batch when it returns: it is about to.
		for r.pump.Stats().Lag() > 0 {
			runtime.Gosched()
		}
		stats := r.pump.Stats()
		if stats.Handled+stats.Dropped != stats.Added || r.sink.most > 1 {
			t.Fatalf("the stats are %+v, with %d calls at a time", stats, r.sink.most)
		}
	}
}
