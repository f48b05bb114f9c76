package eventstore

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// In each bubble of these tests Stop has to leave no goroutine: the bubble does not end before they do.

func TestPumpStopHandlesAll(t *testing.T) {
	for _, test := range []struct {
		name  string
		start bool
		ctx   time.Duration
		do    func(context.Context, handed) error
	}{
		{"started", true, 0, nil},
		{"not started", false, 0, nil},
		{"failing for a while", true, time.Minute, failures(8)},
		{"failing for a while, not started", false, 0, failures(8)},
		{"slow", true, time.Minute, func(context.Context, handed) error { time.Sleep(5 * time.Second); return nil }},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, ConsumerOptions{}, PumpOptions{MaxBatch: 10, Rand: constant(0.5)}, test.do)
			ctx := context.Background()
			if test.ctx > 0 {
				ctx = timeout(t, test.ctx)
			}
			r.append(25)
			if test.start {
				r.pump.Start()
			}
			r.store.Close()
			if err := r.pump.Stop(ctx); err != nil {
				t.Fatal(test.name, err)
			}
			r.stop(t)
			calls := len(r.sink.seen())
			if !r.consumer.closedNow() {
				t.Error(test.name, "the consumer is not closed")
			}
			r.pump.Start()
			if err := r.pump.Flush(context.Background()); !errors.Is(err, ErrStopped) {
				t.Error(test.name, "Flush after Stop returns", err)
			}
			after(time.Hour)
			if len(r.sink.seen()) != calls {
				t.Error(test.name, "a call after Stop")
			}
		})
	}
}

func (c *Consumer[T]) closedNow() bool {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	return c.closed
}

// A backoff that runs does not delay Stop, and attempts during Stop have theirs.
func TestPumpStopDuringBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := PumpOptions{BackoffBase: 10 * time.Second, Rand: constant(0.5)}
		r := newRig(t, ConsumerOptions{}, o, failures(2))
		r.append(3)
		if err := r.pump.Flush(context.Background()); err != errSink {
			t.Fatal(err)
		}
		after(time.Second)
		if err := r.pump.Stop(timeout(t, time.Minute)); err != nil {
			t.Fatal(err)
		}
		r.sink.wantTimes(0, time.Second, 11*time.Second) // the second bound is 20 s, half of it is 10 s
		r.stop(t)
	})
}

// A call that runs when Stop comes sees its context end in time, too.
func TestPumpStopEndsRunningCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended time.Time
		r := newRig(t, ConsumerOptions{Threshold: 1}, PumpOptions{}, func(ctx context.Context, h handed) error {
			<-ctx.Done()
			ended = time.Now()
			return ctx.Err()
		})
		r.pump.Start()
		r.append(1)
		after(time.Second)
		began := time.Now()
		err := r.pump.Stop(timeout(t, 4*time.Second))
		wantLeft(t, err, 1, context.DeadlineExceeded)
		if at := ended.Sub(began); at != 3600*time.Millisecond {
			t.Errorf("the call's context ended after %v, want 3.6s", at)
		}
		if stats := r.pump.Stats(); stats.Abandoned != 0 || stats.Hung {
			t.Errorf("the stats are %+v", stats)
		}
	})
}

// Calls that are made during Stop are told how long they have.
func TestPumpStopDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ConsumerOptions{}, PumpOptions{}, nil)
		r.append(1)
		if err := r.pump.Stop(timeout(t, 4*time.Second)); err != nil {
			t.Fatal(err)
		}
		if h := r.sink.seen()[0]; h.deadline != 3600*time.Millisecond {
			t.Errorf("the call has %v, want 3.6s", h.deadline)
		}
	})
}

func TestPumpStopWithDoneContext(t *testing.T) {
	for _, start := range []bool{false, true} {
		for range 20 { // two things may be ready at once
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, ConsumerOptions{Threshold: 3}, PumpOptions{}, nil)
				done, cancel := context.WithCancel(context.Background())
				cancel()
				if start {
					r.pump.Start()
				}
				r.append(2)
				wantLeft(t, r.pump.Stop(done), 2, context.Canceled)
				after(time.Hour)
				r.sink.wantRuns()
				if stats := r.pump.Stats(); stats.Dropped != 2 || stats.Lag() != 0 {
					t.Errorf("the stats are %+v", stats)
				}
			})
		}
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ConsumerOptions{Threshold: 3}, PumpOptions{}, nil)
		done, cancel := context.WithCancel(context.Background())
		cancel()
		if err := r.pump.Stop(done); err != nil {
			t.Errorf("with nothing to handle Stop returns %v", err)
		}
	})
}

// A context that is cancelled, without a deadline, ends Stop at once, and the call.
func TestPumpStopCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ConsumerOptions{}, PumpOptions{}, func(ctx context.Context, _ handed) error {
			<-ctx.Done()
			return ctx.Err()
		})
		r.append(1)
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, cancel)
		wantLeft(t, r.pump.Stop(ctx), 1, context.Canceled)
		if took := time.Since(r.sink.began); took != time.Second {
			t.Errorf("Stop returned after %v, want 1s", took)
		}
		after(0)
		if stats := r.pump.Stats(); stats.Dropped != 1 || stats.Lag() != 0 || stats.Hung {
			t.Errorf("the stats are %+v", stats)
		}
	})
}

// The context that ends first counts, for all.
func TestPumpStopTwiceAtOnce(t *testing.T) {
	for _, times := range [][]time.Duration{
		{time.Second, time.Minute},
		{time.Minute, time.Second},
		{time.Minute, 0, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, ConsumerOptions{}, PumpOptions{}, func(ctx context.Context, _ handed) error {
				<-ctx.Done()
				return ctx.Err()
			})
			r.append(7)
			results := make(chan error, len(times))
			for _, d := range times {
				ctx := context.Background()
				if d > 0 {
					ctx = timeout(t, d)
				}
				go func() { results <- r.pump.Stop(ctx) }()
				after(0)
			}
			first := <-results
			wantLeft(t, first, 7, context.DeadlineExceeded)
			for range len(times) - 1 {
				if err := <-results; err != first {
					t.Errorf("another Stop returns %v, want %v", err, first)
				}
			}
			if took := time.Since(r.sink.began); took != 900*time.Millisecond {
				t.Errorf("Stop returned after %v, want 900ms", took)
			}
		})
	}
}

// Stop after a call was abandoned waits for it as long as it may, and takes its outcome.
func TestPumpStopAfterHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ConsumerOptions{Threshold: 1}, PumpOptions{Timeout: time.Second}, func(_ context.Context, h handed) error {
			if h.First == 0 {
				time.Sleep(10 * time.Second)
			}
			return nil
		})
		r.pump.Start()
		r.append(1)
		after(5 * time.Second)
		r.append(2)
		if err := r.pump.Stop(timeout(t, time.Minute)); err != nil {
			t.Fatal(err)
		}
		r.sink.wantRuns(1, 2)
		r.stop(t)
	})
}

// Flushes that wait when Stop gives up are told, and later ones at once.
func TestPumpStopAnswersFlushes(t *testing.T) {
	for _, test := range []struct {
		name string
		call time.Duration
		want error
	}{
		{"hung", time.Hour, ErrHung},
		{"too slow for all", 1900 * time.Millisecond, ErrStopped},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, ConsumerOptions{}, PumpOptions{MaxBatch: 1}, func(context.Context, handed) error { time.Sleep(test.call); return nil })
			r.append(2)
			flushed := make(chan error, 1)
			go func() { flushed <- r.pump.Flush(context.Background()) }()
			after(0)
			go func() { _ = r.pump.Stop(timeout(t, 2*time.Second)) }()
			after(time.Second)
			r.append(1)
			if err := r.pump.Flush(context.Background()); !errors.Is(err, ErrStopped) {
				t.Errorf("%s: Flush during Stop returns %v", test.name, err)
			}
			if took := time.Since(r.sink.began); took != time.Second {
				t.Errorf("%s: Flush during Stop took %v", test.name, took-time.Second)
			}
			if err := <-flushed; !errors.Is(err, test.want) {
				t.Errorf("%s: Flush returns %v, want %v", test.name, err, test.want)
			}
			after(time.Hour)
		})
	}
}

// Producers who go on do not keep Stop from ending, also when they make the consumer drop.
func TestPumpStopWithProducers(t *testing.T) {
	for _, test := range []struct {
		name    string
		maxLag  int
		batches []int
		handled int64
	}{
		{"all fits", 1000, []int{10, 10, 10}, 30},
		{"too much", 30, []int{10}, 10}, // the others of the 30 are dropped meanwhile
	} {
		synctest.Test(t, func(t *testing.T) {
			t.Log(test.name)
			var r *rig
			o := PumpOptions{MaxBatch: 10, Interval: time.Second}
			r = newRig(t, ConsumerOptions{Threshold: 1, MaxLag: test.maxLag}, o, func(context.Context, handed) error {
				time.Sleep(time.Second) // Stop has been taken in
				r.append(40)
				time.Sleep(time.Second)
				return nil
			})
			r.append(30)
			if err := r.pump.Stop(timeout(t, time.Hour)); err != nil {
				t.Fatal(err)
			}
			r.sink.wantRuns(test.batches...)
			if stats := r.pump.Stats(); stats.Handled != test.handled || stats.Handled+stats.Dropped != stats.Added {
				t.Errorf("the stats are %+v", stats)
			}
		})
	}
}

func TestStopAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hung := newRig(t, ConsumerOptions{}, PumpOptions{}, func(context.Context, handed) error { time.Sleep(time.Hour); return nil })
		slow := newRig(t, ConsumerOptions{}, PumpOptions{}, func(context.Context, handed) error { time.Sleep(8 * time.Second); return nil })
		fine := newRig(t, ConsumerOptions{}, PumpOptions{}, nil)
		down := newRig(t, ConsumerOptions{}, PumpOptions{}, func(context.Context, handed) error { return errSink })
		for _, r := range []*rig{hung, slow, fine, down} {
			r.append(3)
		}
		began := time.Now()
		err := StopAll(timeout(t, 10*time.Second), hung.pump, slow.pump, fine.pump, down.pump)
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("it took %v, want 10s", took)
		}
		if !errors.Is(err, ErrHung) || !errors.Is(err, errSink) {
			t.Errorf("%v does not wrap both errors", err)
		}
		fine.stop(t)
		slow.stop(t)
		after(time.Hour)
		if err := StopAll(context.Background()); err != nil {
			t.Errorf("without pumps: %v", err)
		}
	})
}
