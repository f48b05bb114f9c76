package regress

import (
	"errors"
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The histograms count microseconds. A wait beyond the highest cannot happen: a run and the bound after it are shorter.
const (
	lowestMicros  = 1
	highestMicros = int64(10 * time.Minute / time.Microsecond)
	digits        = 3 // significant: a figure is good to 0.1 %
)

// timelineSlices is into how many equal parts of the run the timeline is cut: enough to see a single flush.
const timelineSlices = 60

// Latency sums up one endpoint of one arm in one scenario. Times are milliseconds from the scheduled arrival, of every
// measured request, whatever became of it: without those that failed after a wait the rest would look better. Those that
// fail at once lower the figures, so figures with any that failed are not comparable.
type Latency struct {
	Requests   int64   `json:"requests"`   // measured ones that were answered 2xx
	Failed     int64   `json:"failed"`     // answered otherwise, or failed by the connection
	Unanswered int64   `json:"unanswered"` // without an answer at the bound: their time is at least as shown
	P50        float64 `json:"p50Ms"`
	P95        float64 `json:"p95Ms"`
	P99        float64 `json:"p99Ms"`
	P999       float64 `json:"p999Ms"`
	Max        float64 `json:"maxMs"`

	Curve    []Point `json:"curve"`    // latency by percentile
	Timeline []Slice `json:"timeline"` // latency by time of the run
}

// Point is one point of a latency curve.
type Point struct {
	Percentile float64 `json:"percentile"` // below 100
	Ms         float64 `json:"ms"`
}

// Slice is one part of the timeline.
type Slice struct {
	At    float64 `json:"atS"` // middle of the slice, seconds since the measured part began
	Count int64   `json:"count"`
	P50   float64 `json:"p50Ms"`
	Max   float64 `json:"maxMs"`
}

// recorder gathers the latencies of one endpoint, over all rounds of an arm in a scenario.
// It is not safe for concurrent use.
type recorder struct {
	all      *hdrhistogram.Histogram
	slices   [timelineSlices]*hdrhistogram.Histogram
	length   time.Duration // of the measured part
	requests int64
	failed   int64
	lost     int64 // unanswered
}

func newRecorder(length time.Duration) *recorder {
	r := &recorder{all: newHistogram(), length: length}
	for i := range r.slices {
		r.slices[i] = newHistogram()
	}
	return r
}

func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(lowestMicros, highestMicros, digits)
}

// record adds one answer. at is the scheduled arrival since the measured part began.
func (r *recorder) record(at time.Duration, a answer) error {
	switch {
	case a.accepted():
		r.requests++
	case errors.Is(a.err, errUnanswered):
		r.lost++
	default:
		r.failed++
	}
	micros := min(max(a.latency.Microseconds(), lowestMicros), highestMicros)
	slice := min(int(float64(at)/float64(r.length)*timelineSlices), timelineSlices-1)
	return errors.Join(r.all.RecordValue(micros), r.slices[slice].RecordValue(micros))
}

// merge adds what another round of the same length recorded.
func (r *recorder) merge(other *recorder) {
	r.all.Merge(other.all)
	for i, s := range r.slices {
		s.Merge(other.slices[i])
	}
	r.requests += other.requests
	r.failed += other.failed
	r.lost += other.lost
}

// latency sums up what was recorded.
func (r *recorder) latency() Latency {
	at := func(percentile float64) float64 { return ms(r.all.ValueAtPercentile(percentile)) }
	l := Latency{
		Requests: r.requests, Failed: r.failed, Unanswered: r.lost,
		P50: at(50), P95: at(95), P99: at(99), P999: at(99.9), Max: ms(r.all.Max()),
	}
	for _, percentile := range curvePercentiles(r.all.TotalCount()) {
		l.Curve = append(l.Curve, Point{Percentile: percentile, Ms: at(percentile)})
	}
	for i, s := range r.slices {
		if s.TotalCount() == 0 {
			continue
		}
		l.Timeline = append(l.Timeline, Slice{
			At:    r.length.Seconds() * (float64(i) + 0.5) / timelineSlices,
			Count: s.TotalCount(), P50: ms(s.ValueAtPercentile(50)), Max: ms(s.Max()),
		})
	}
	return l
}

// curvePercentiles spaces percentiles evenly on the log axis, eight to a decade, from the median to the last one that
// count samples can tell apart.
func curvePercentiles(count int64) []float64 {
	var ps []float64
	for step := 0; ; step++ {
		beyond := 0.5 * math.Pow(10, -float64(step)/8) // share of the samples beyond the point
		if beyond*float64(count) < 1 {
			return ps
		}
		ps = append(ps, 100*(1-beyond))
	}
}

func ms(micros int64) float64 { return float64(micros) / 1000 }
