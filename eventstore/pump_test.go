package eventstore

import (
	"context"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestPumpRefusesBadOptions(t *testing.T) {
	for _, test := range []struct {
		name    string
		options PumpOptions
		says    string
	}{
		{"Interval", PumpOptions{Interval: -1}, "Interval is -1ns"},
		{"MaxBatch", PumpOptions{MaxBatch: -1}, "MaxBatch is -1"},
		{"Timeout", PumpOptions{Timeout: -time.Second}, "Timeout is -1s"},
		{"BackoffBase", PumpOptions{BackoffBase: -1}, "BackoffBase is -1ns"},
		{"BackoffCap", PumpOptions{BackoffCap: -1}, "BackoffCap is -1ns"},
		{"cap below base", PumpOptions{BackoffBase: time.Minute, BackoffCap: time.Second}, "BackoffCap is 1s; use at least the BackoffBase of 1m0s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newStore(t, 4)
			_, err := NewPump(addTo(t, s, "c", ConsumerOptions{}), (&sink{t: t}).handle, test.options)
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want an error that says %q", err, test.says)
			}
		})
	}
	if _, err := NewPump(nil, (&sink{t: t}).handle, PumpOptions{}); err == nil {
		t.Error("a nil consumer is taken")
	}
	if _, err := NewPump[int64](addTo(t, newStore(t, 4), "c", ConsumerOptions{}), nil, PumpOptions{}); err == nil {
		t.Error("a nil handler is taken")
	}
}

func TestPumpDefaults(t *testing.T) {
	type backoff struct{ base, cap time.Duration }
	for _, test := range []struct{ given, want backoff }{
		{backoff{}, backoff{DefaultBackoffBase, DefaultBackoffCap}},
		{backoff{base: time.Hour}, backoff{time.Hour, time.Hour}},
		{backoff{base: 1}, backoff{1, DefaultBackoffCap}},
		{backoff{cap: 1}, backoff{1, 1}},
		{backoff{cap: time.Hour}, backoff{DefaultBackoffBase, time.Hour}},
	} {
		o, err := PumpOptions{BackoffBase: test.given.base, BackoffCap: test.given.cap}.complete()
		if err != nil {
			t.Fatal(err)
		}
		if got := (backoff{o.BackoffBase, o.BackoffCap}); got != test.want {
			t.Errorf("%+v stands for %+v, want %+v", test.given, got, test.want)
		}
		if o.Interval != DefaultInterval || o.MaxBatch != DefaultMaxBatch || o.Timeout != DefaultTimeout {
			t.Errorf("the defaults are %+v", o)
		}
	}
}

// The longest times of all must not turn into short ones.
func TestPumpHugeOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ConsumerOptions{}, PumpOptions{
			Interval: math.MaxInt64, MaxBatch: math.MaxInt, Timeout: math.MaxInt64, BackoffBase: math.MaxInt64, BackoffCap: math.MaxInt64, Rand: constant(0),
		}, func(ctx context.Context, h handed) error {
			time.Sleep(time.Hour)
			return firstFail(1)(ctx, h)
		})
		r.append(1)
		if err := r.pump.Flush(context.Background()); err != errSink {
			t.Fatal(err)
		}
		r.stop(t)
		if stats := r.pump.Stats(); stats.Abandoned != 0 {
			t.Errorf("%d calls were abandoned", stats.Abandoned)
		}
	})
}

func TestPumpInterval(t *testing.T) {
	for _, test := range []struct {
		random float64
		first  time.Duration
	}{
		{0, time.Minute},
		{0.25, 45 * time.Second},
		{0.5, 30 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, ConsumerOptions{}, PumpOptions{Rand: constant(test.random)}, nil)
			r.pump.Start()
			r.pump.Start()
			r.append(3)
			after(test.first)
			r.append(2)
			after(time.Minute)
			r.append(1)
			after(2 * time.Minute) // one tick finds nothing
			r.sink.wantRuns(3, 2, 1)
			r.sink.wantTimes(test.first, test.first+time.Minute, test.first+2*time.Minute)
			r.stop(t)
		})
	}
}

// A fleet that is started at once must not export at once.
func TestPumpSpreadPhase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quarters := make(map[time.Duration]int)
		for range 200 {
			r := newRig(t, ConsumerOptions{}, PumpOptions{Interval: time.Hour}, nil)
			r.append(1)
			r.pump.Start()
			t.Cleanup(func() {
				at := r.sink.seen()[0].at
				if at <= 0 || at > time.Hour {
					t.Errorf("the first tick comes after %v", at)
				}
				quarters[(at-1)/(15*time.Minute)]++
				r.stop(t)
				if len(quarters) != 4 && quarters[0]+quarters[1]+quarters[2]+quarters[3] == 200 {
					t.Errorf("the first ticks of 200 pumps are in these quarters of the interval: %v", quarters)
				}
			})
		}
		after(time.Hour)
	})
}

// The largest random number must not make a ticker of no time.
func TestPumpShortestPhase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ConsumerOptions{}, PumpOptions{Interval: 1, Rand: constant(almost)}, nil)
		r.pump.Start()
		after(10)
		r.append(1)
		after(10)
		r.sink.wantRuns(1)
		r.stop(t)
	})
}

func TestPumpThreshold(t *testing.T) {
	for _, test := range []struct {
		name            string
		threshold, most int
		events          int
		atOnce, atTick  []int
	}{
		{"below", 10, 10, 9, nil, []int{9}},
		{"reached", 10, 10, 10, []int{10}, nil},
		{"one above", 10, 10, 11, []int{10}, []int{1}},
		{"twice", 10, 10, 20, []int{10, 10}, nil},
		{"many", 10, 10, 47, []int{10, 10, 10, 10}, []int{7}},
		{"larger batches", 10, 100, 47, []int{47}, nil},
		{"smaller batches", 10, 4, 13, []int{4}, []int{4, 4, 1}},
		{"each event", 1, 100, 1, []int{1}, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, ConsumerOptions{Threshold: test.threshold}, PumpOptions{MaxBatch: test.most, Rand: constant(0)}, nil)
			r.append(test.events)
			r.pump.Start()
			after(0)
			t.Log(test.name)
			r.sink.wantRuns(test.atOnce...)
			after(time.Minute)
			r.sink.wantRuns(append(test.atOnce, test.atTick...)...)
			r.stop(t)
		})
	}
}

// Each interval gives memory of a rush back.
func TestPumpTrims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ConsumerOptions{}, PumpOptions{Rand: constant(0)}, nil)
		r.append(400)
		if err := r.pump.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
		before := r.store.Stats().FreeSegments
		after(10 * time.Minute)
		if now := r.store.Stats().FreeSegments; before < 50 || now > 1 {
			t.Errorf("%d free segments after a rush, and %d ten intervals later", before, now)
		}
		r.stop(t)
	})
}

// A pump that is not started does nothing, and leaves nothing behind: the bubble does not end before its goroutines do.
func TestPumpNotStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ConsumerOptions{Threshold: 1}, PumpOptions{}, nil)
		r.append(5)
		after(time.Hour)
		r.sink.wantRuns()
		if stats := r.pump.Stats(); stats.Waiting != 5 || stats.Calls != 0 {
			t.Errorf("the stats are %+v", stats)
		}
	})
}

// P6: whatever happens to one consumer, the others get their events when they should.
func TestPumpOthersNotDelayed(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(context.Context, handed) error
	}{
		{"hung", func(context.Context, handed) error { time.Sleep(time.Hour); return nil }},
		{"failing", func(context.Context, handed) error { return errSink }},
		{"panicking", func(context.Context, handed) error { panic("at the sink") }},
		{"slow", func(context.Context, handed) error { time.Sleep(50 * time.Second); return nil }},
	} {
		synctest.Test(t, func(t *testing.T) {
			bad := newRig(t, ConsumerOptions{Threshold: 5}, PumpOptions{}, test.do)
			good := &rig{store: bad.store, sink: &sink{t: t, began: time.Now()}}
			good.addPump(t, "good", ConsumerOptions{Threshold: 5}, PumpOptions{Rand: constant(0)})
			bad.pump.Start()
			good.pump.Start()
			good.append(5)
			after(0)
			good.sink.wantRuns(5)
			good.append(3)
			after(time.Minute)
			good.append(2)
			if err := good.pump.Flush(context.Background()); err != nil {
				t.Fatal(test.name, err)
			}
			good.sink.wantTimes(0, time.Minute, time.Minute)
			good.stop(t)
			_ = bad.pump.Stop(timeout(t, time.Second)) // has nothing to do with the good one
			after(time.Hour)
		})
	}
}
