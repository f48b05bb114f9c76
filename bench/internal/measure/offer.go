package measure

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// longest is above every latency that can be recorded; a longer one counts as this.
const longest = 5 * time.Minute

// Latencies is how long the calls of [Offer] took.
type Latencies struct {
	histogram *hdrhistogram.Histogram
	added     int // calls that were made
	missed    int // calls that were due while their producer waited in another one
}

// NewLatencies returns an empty record.
func NewLatencies() *Latencies {
	return &Latencies{histogram: hdrhistogram.New(1, longest.Nanoseconds(), 3)}
}

// Added is the number of calls that were made.
func (l *Latencies) Added() int { return l.added }

// Merge adds the other record to this one.
func (l *Latencies) Merge(other *Latencies) {
	l.histogram.Merge(other.histogram)
	l.added += other.added
	l.missed += other.missed
}

// Report reports the percentiles in nanoseconds, and accepted-%: the part of the due calls that were made. It takes ns/op
// out, which says nothing of calls at a fixed rate.
func (l *Latencies) Report(b *testing.B) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(l.histogram.ValueAtQuantile(50)), "p50-ns")
	b.ReportMetric(float64(l.histogram.ValueAtQuantile(99)), "p99-ns")
	b.ReportMetric(float64(l.histogram.ValueAtQuantile(99.9)), "p99.9-ns")
	b.ReportMetric(float64(l.histogram.Max()), "max-ns")
	b.ReportMetric(100*float64(l.added)/float64(l.added+l.missed), "accepted-%")
}

// record takes in a call of a producer that makes one an interval, and returns how many it missed meanwhile. Each of those
// would have waited from its own turn to the end of the call, and is recorded with that.
func (l *Latencies) record(took, interval time.Duration) (missed int, err error) {
	took = min(took, longest)
	missed = int(took / interval)
	l.added++
	l.missed += missed
	return missed, l.histogram.RecordCorrectedValue(took.Nanoseconds(), interval.Nanoseconds())
}

// Producers are goroutines that call at a rate.
type Producers struct {
	stopping atomic.Bool
	running  sync.WaitGroup
	each     []*Latencies // written by the producers, read when they have ended
	errs     []error      // likewise
}

// Offer starts n producers, which together make rate calls of add a second until Stop, and returns when each of them runs.
// They sleep between bursts of calls, because a system wakes nobody up a hundred thousand times a second.
func Offer(n int, rate float64, add func(Event)) *Producers {
	p := &Producers{errs: make([]error, n)}
	interval := time.Duration(float64(n) / rate * float64(time.Second))
	var there sync.WaitGroup
	there.Add(n)
	for i := range n {
		latencies := NewLatencies()
		p.each = append(p.each, latencies)
		p.running.Go(func() {
			there.Done()
			p.errs[i] = p.produce(latencies, interval, add)
		})
	}
	there.Wait()
	return p
}

func (p *Producers) produce(latencies *Latencies, interval time.Duration, add func(Event)) error {
	event := NewEvent()
	now := time.Now()
	for due := now; !p.stopping.Load(); due = due.Add(interval) {
		if wait := due.Sub(now); wait > 0 {
			time.Sleep(wait)
		}
		before := time.Now()
		add(event)
		now = time.Now()
		missed, err := latencies.record(now.Sub(before), interval)
		if err != nil {
			return err
		}
		due = due.Add(time.Duration(missed) * interval)
	}
	return nil
}

// Stop lets the producers finish their calls and returns what they recorded.
func (p *Producers) Stop() (*Latencies, error) {
	p.stopping.Store(true)
	p.running.Wait()
	all := NewLatencies()
	for _, latencies := range p.each {
		all.Merge(latencies)
	}
	return all, errors.Join(p.errs...)
}
