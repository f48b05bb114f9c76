package eventstore

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// Flush starts the pump, waits for all batches of what was appended before it, and for nothing that comes later.
func TestPumpFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r *rig
		r = newRig(t, ConsumerOptions{}, PumpOptions{MaxBatch: 10, Rand: constant(0)}, func(context.Context, handed) error {
			time.Sleep(time.Second)
			if r.last < 40 {
				r.append(5)
			}
			return nil
		})
		if err := r.pump.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
		r.append(25)
		if err := r.pump.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
		r.sink.wantRuns(10, 10, 10) // the last one is filled up with later events
		if at := time.Since(r.sink.began); at != 3*time.Second {
			t.Errorf("Flush returned after %v, want 3s", at)
		}
		after(10 * time.Second)
		r.sink.wantRuns(10, 10, 10) // nobody asked for more
		r.stop(t)
	})
}

// Flushes at the same time share the work.
func TestPumpFlushShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ConsumerOptions{}, PumpOptions{}, func(context.Context, handed) error {
			time.Sleep(time.Second)
			return nil
		})
		flushed := make(chan error, 20)
		r.append(3)
		for range 10 {
			go func() { flushed <- r.pump.Flush(context.Background()) }()
		}
		after(time.Millisecond)
		r.append(4) // behind the batch that is handled
		for range 10 {
			go func() { flushed <- r.pump.Flush(context.Background()) }()
		}
		after(time.Second)
		if len(flushed) != 10 {
			t.Errorf("%d of the first 10 have returned when their events were handled", len(flushed))
		}
		for range 20 {
			if err := <-flushed; err != nil {
				t.Error(err)
			}
		}
		r.sink.wantRuns(3, 4)
		r.stop(t)
	})
}

func TestPumpFlushFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := PumpOptions{BackoffBase: time.Minute, BackoffCap: time.Hour, Interval: 100 * time.Hour, Rand: constant(0.5)}
		r := newRig(t, ConsumerOptions{}, o, func(ctx context.Context, h handed) error {
			time.Sleep(time.Second)
			return firstFail(2)(ctx, h)
		})
		r.append(3)
		if err := r.pump.Flush(context.Background()); err != errSink {
			t.Errorf("the first attempt's error is %v", err)
		}
		// An explicit Flush does not wait for the backoff.
		if err := r.pump.Flush(context.Background()); err != errSink {
			t.Errorf("the second attempt's error is %v", err)
		}
		if err := r.pump.Flush(context.Background()); err != nil {
			t.Error(err)
		}
		r.sink.wantTimes(0, time.Second, 2*time.Second)
		r.stop(t)
	})
}

// What a failed Flush was to handle is handled after the backoff, without anybody asking.
func TestPumpFlushContinues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := PumpOptions{MaxBatch: 2, Interval: 100 * time.Hour, Rand: constant(0.5)}
		r := newRig(t, ConsumerOptions{}, o, failures(1))
		r.append(5)
		if err := r.pump.Flush(context.Background()); err != errSink {
			t.Error(err)
		}
		after(time.Second)
		r.sink.wantRuns(2, 2, 2, 1)
		r.stop(t)
	})
}

func TestPumpFlushContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ConsumerOptions{}, PumpOptions{}, func(context.Context, handed) error {
			time.Sleep(10 * time.Second)
			return nil
		})
		r.append(1)
		if err := r.pump.Flush(timeout(t, time.Second)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after the context's end Flush returns %v", err)
		}
		done, cancel := context.WithCancel(context.Background())
		cancel()
		if err := r.pump.Flush(done); !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that is done Flush returns %v", err)
		}
		r.sink.wantRuns(1)
		r.stop(t)
	})
}

// With a context that is done nothing is begun.
func TestPumpFlushDoneContext(t *testing.T) {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	for range 20 { // two things may be ready at once
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, ConsumerOptions{}, PumpOptions{}, nil)
			r.append(1)
			if err := r.pump.Flush(done); !errors.Is(err, context.Canceled) {
				t.Errorf("Flush returns %v", err)
			}
			after(time.Hour)
			r.sink.wantRuns()
		})
	}
}

// Of two flushes at the same time, the one of fewer events may come last.
func TestPumpFlushOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ConsumerOptions{}, PumpOptions{MaxBatch: 5, Rand: constant(0)}, func(context.Context, handed) error {
			time.Sleep(time.Second)
			return nil
		})
		r.pump.Start()
		r.append(10)
		more, fewer := flush{10, make(chan error, 1)}, flush{5, make(chan error, 1)}
		r.pump.flushes <- more
		r.pump.flushes <- fewer
		after(time.Second)
		if len(fewer.result) != 1 || len(more.result) != 0 {
			t.Errorf("after the first batch, %d of its flushes and %d of the other are answered", len(fewer.result), len(more.result))
		}
		after(time.Second)
		if len(more.result) != 1 {
			t.Error("after the second batch, its flush is not answered")
		}
		r.stop(t)
	})
}

// Events that were dropped are settled, too.
func TestPumpFlushOfDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ConsumerOptions{MaxLag: 5}, PumpOptions{MaxBatch: 1, Interval: 100 * time.Hour}, func(_ context.Context, h handed) error {
			time.Sleep(time.Second)
			return nil
		})
		r.append(5)
		flushed := make(chan error, 1)
		go func() { flushed <- r.pump.Flush(context.Background()) }()
		after(0)
		r.append(20)
		after(time.Second)
		select {
		case err := <-flushed:
			if err != nil {
				t.Error(err)
			}
		default:
			t.Error("Flush waits for events that were dropped")
		}
		if err := r.pump.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
}
