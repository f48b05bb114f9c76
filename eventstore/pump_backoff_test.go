package eventstore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"testing"
	"testing/synctest"
	"time"
)

func TestBackoff(t *testing.T) {
	const base, most = 100 * time.Millisecond, 30 * time.Second
	for _, test := range []struct {
		n    int
		most time.Duration
	}{
		{1, 100 * time.Millisecond},
		{2, 200 * time.Millisecond},
		{3, 400 * time.Millisecond},
		{9, 25600 * time.Millisecond},
		{10, most},
		{11, most},
		{1000, most},
		{math.MaxInt, most},
	} {
		for _, part := range []float64{0, 0.5, 0.75} {
			o := PumpOptions{BackoffBase: base, BackoffCap: most, Rand: constant(part)}
			want := time.Duration(part * float64(test.most))
			if got := o.backoff(test.n, errSink); got != want {
				t.Errorf("failure %d, random number %v: %v, want %v", test.n, part, got, want)
			}
		}
	}
	o := PumpOptions{BackoffBase: 1, BackoffCap: math.MaxInt64, Rand: constant(0.5)}
	if got := o.backoff(100, errSink); got != 1<<62 {
		t.Errorf("the largest backoff is %v, want %v", got, time.Duration(1<<62))
	}
}

func TestRetryAfter(t *testing.T) {
	for _, test := range []struct {
		name   string
		err    error
		random float64
		want   time.Duration
	}{
		{"longer than the backoff", RetryAfter(errSink, time.Minute), 0.5, time.Minute},
		{"shorter", RetryAfter(errSink, time.Millisecond), 0.5, 50 * time.Millisecond},
		{"wrapped", fmt.Errorf("upload: %w", RetryAfter(errSink, 7*time.Second)), 0, 7 * time.Second},
		{"longer than allowed", RetryAfter(errSink, 1000*time.Hour), 0, MaxRetryAfter},
		{"negative", RetryAfter(errSink, -time.Minute), 0, 0},
		{"none", errSink, 0, 0},
		{"a nil pointer whose methods panic", (*url.Error)(nil), 0.5, 50 * time.Millisecond},
		{"a panic with one", &PanicError{Value: (*url.Error)(nil)}, 0.5, 50 * time.Millisecond},
	} {
		o := PumpOptions{BackoffBase: 100 * time.Millisecond, BackoffCap: time.Second, Rand: constant(test.random)}
		if got := o.backoff(1, test.err); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	if err := RetryAfter(errSink, time.Second); !errors.Is(err, errSink) || err.Error() != errSink.Error() {
		t.Errorf("%v is not %v", err, errSink)
	}
	if err := RetryAfter(nil, time.Second); err != nil {
		t.Errorf("no error becomes %v", err)
	}
}

// Attempts follow the backoff, whatever the traffic: neither ticks, nor thresholds, nor drops cause one.
func TestPumpBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := PumpOptions{Interval: 10 * time.Millisecond, BackoffBase: time.Second, BackoffCap: 3 * time.Second, Rand: constant(0.5)}
		r := newRig(t, ConsumerOptions{Threshold: 2, MaxLag: 4}, o, firstFail(4))
		r.pump.Start()
		r.append(2)
		after(0)
		for range 1000 {
			r.append(1)
			after(time.Millisecond)
		}
		r.sink.wantRuns(2, 2) // the first attempt, and one after half a second
		after(3*time.Second + 500*time.Millisecond)
		calls := r.sink.seen()[:5]
		r.sink.calls = calls
		r.sink.wantTimes(0, 500*time.Millisecond, 1500*time.Millisecond, 3*time.Second, 4500*time.Millisecond)
		if err := r.pump.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
	})
}

// P4: a retry is the same batch, under the same offsets, whatever is appended or dropped in between.
func TestPumpRetriesTheSameBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r *rig
		r = newRig(t, ConsumerOptions{MaxLag: 20}, PumpOptions{MaxBatch: 7, Rand: constant(0.5)}, func(_ context.Context, h handed) error {
			r.append(9)
			if h.Number < 4 {
				return errSink
			}
			return nil
		})
		r.append(10)
		began := time.Now()
		if err := r.pump.Flush(context.Background()); err != errSink {
			t.Fatalf("Flush returns %v, want %v", err, errSink)
		}
		after(10 * time.Second)
		calls := r.sink.seen()
		for i, h := range calls[:4] {
			want := Attempt{Consumer: "sink", First: 0, Last: 6, Number: i + 1, Began: began}
			if h.Attempt != want {
				t.Errorf("attempt %d is %+v, want %+v", i+1, h.Attempt, want)
			}
			for j, event := range h.events {
				if len(h.events) != 7 || event != int64(j+1) {
					t.Fatalf("attempt %d has the events %v", i+1, h.events)
				}
			}
		}
		if h := calls[4]; h.Number != 1 || h.First < 7 || !h.Began.After(began) {
			t.Errorf("the batch after it is %+v", h.Attempt)
		}
		r.sink.do = nil
		if err := r.pump.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
		if stats := r.pump.Stats(); stats.Failures < 3 || stats.Dropped == 0 || stats.Handled+stats.Dropped != stats.Added {
			t.Errorf("the stats are %+v", stats)
		}
	})
}

// After a success the backoff begins anew.
func TestPumpBackoffBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := PumpOptions{BackoffBase: time.Second, Rand: constant(0.5)}
		r := newRig(t, ConsumerOptions{Threshold: 1}, o, firstFail(2))
		r.pump.Start()
		r.append(1)
		after(10 * time.Second)
		r.append(1)
		after(10 * time.Second)
		first := []time.Duration{0, 500 * time.Millisecond, 1500 * time.Millisecond}
		r.sink.wantTimes(first[0], first[1], first[2], 10*time.Second, first[1]+10*time.Second, first[2]+10*time.Second)
		r.stop(t)
	})
}

// The sink's hint reaches the pump.
func TestPumpRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ConsumerOptions{Threshold: 1}, PumpOptions{}, func(_ context.Context, h handed) error {
			if h.Number == 1 {
				return RetryAfter(errSink, time.Minute)
			}
			return nil
		})
		r.pump.Start()
		r.append(1)
		after(5 * time.Minute)
		r.sink.wantTimes(0, time.Minute)
		r.stop(t)
	})
}
