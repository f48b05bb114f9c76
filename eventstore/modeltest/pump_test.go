package modeltest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/offlock/offlock/eventstore"
	"pgregory.net/rapid"
)

// TestPumpModel runs random lives of pumps under a fake clock, and checks the promises at every call of a handler, at every
// return of Flush and Stop, and at the end. A goroutine that is left makes synctest fail.
func TestPumpModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := drawPlan(r)
		var found []string
		synctest.Test(t, func(*testing.T) { found = live(p) })
		if len(found) > 0 {
			r.Fatalf("%d broken promises; the first: %s", len(found), found[0])
		}
	})
}

// life is one run of a plan.
type life struct {
	mu     sync.Mutex // guards broken and added
	broken []string
	added  []time.Time // when, by offset
	store  *eventstore.Store[int]
	pumps  []*pumped
	timely bool          // everyone was started at once, and Stop had some time
	over   chan struct{} // closed at the end, for handlers that hang until then
}

func (l *life) breach(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = append(l.broken, fmt.Sprintf(format, args...))
}

// pumped is a consumer and its pump, with what its handler saw.
type pumped struct {
	*life
	plan     pumpPlan
	consumer *eventstore.Consumer[int]
	pump     *eventstore.Pump[int]

	state   sync.Mutex // guards what follows
	calls   []seen
	running int
	urged   []time.Time // when Flush or Stop was called
	ends    time.Time   // by when the contexts of all calls have ended, since Stop was called
	stopped bool        // Stop has returned
}

// seen is one call of a handler.
type seen struct {
	attempt      eventstore.Attempt
	events       []int
	deed         deed
	began, ended time.Time
}

func live(p plan) []string {
	l := &life{over: make(chan struct{}), timely: p.start && !slices.Contains(p.stops, 0)}
	l.store, _ = eventstore.New[int](eventstore.Options{SegmentSize: p.segment})
	for i, plan := range p.pumps {
		l.pumps = append(l.pumps, l.add(i, plan))
	}
	if p.start {
		for _, d := range l.pumps {
			d.pump.Start()
		}
	}
	for _, s := range p.steps {
		for range s.events {
			l.append()
		}
		time.Sleep(s.wait)
		for i, d := range l.pumps {
			if s.flush&(1<<i) != 0 {
				go d.flush(s.timeout)
			}
			d.addsUp()
		}
	}
	l.store.Close()
	if len(p.stops) == 0 && p.start {
		l.wait()
	}
	l.stop(p.stops)
	close(l.over)
	time.Sleep(time.Hour) // whoever still takes their time
	synctest.Wait()
	for _, d := range l.pumps {
		d.final()
	}
	return l.broken
}

// append appends an event that is its own offset.
func (l *life) append() {
	l.mu.Lock()
	event := len(l.added)
	l.added = append(l.added, time.Now())
	l.mu.Unlock()
	l.store.Append(event)
}

func (l *life) addedAt(event int) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.added[event]
}

func (l *life) add(i int, plan pumpPlan) *pumped {
	d := &pumped{life: l, plan: plan}
	var err error
	if d.consumer, err = l.store.Consumer(name(i), plan.consumer); err != nil {
		panic(err)
	}
	o := plan.options
	o.Rand = func() float64 { return plan.rand }
	if d.pump, err = eventstore.NewPump(d.consumer, d.handle, o); err != nil {
		panic(err)
	}
	return d
}

// wait gives everyone time enough, and then nothing may be left but with a handler that hangs for ever.
func (l *life) wait() {
	var enough time.Duration
	for _, d := range l.pumps {
		o := d.plan.options
		took := 2 * o.Interval
		for _, e := range d.plan.script {
			took += e.time + o.Timeout + max(o.BackoffCap, min(e.ask, time.Hour)) + o.Interval
		}
		enough = max(enough, took)
	}
	time.Sleep(enough)
	for _, d := range l.pumps {
		forever := slices.ContainsFunc(d.plan.script, func(e deed) bool { return e.does == hangsForever })
		if got := d.pump.Stats(); !forever && got.Lag() > 0 {
			d.breach("events were left alone for %v: %+v", enough, got)
		}
	}
}
