package regress

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// near allows what three significant digits may differ.
var near = cmpopts.EquateApprox(0.002, 0)

func record(t *testing.T, r *recorder, at time.Duration, a answer) {
	t.Helper()
	if err := r.record(at, a); err != nil {
		t.Fatal(err)
	}
}

func TestRecorder(t *testing.T) {
	const length = 6 * time.Second
	r := newRecorder(length)
	for i := range 1000 { // 1 ms to 1 s, over the run
		record(t, r, time.Duration(i)*length/1000, answer{latency: time.Duration(i+1) * time.Millisecond, status: 200})
	}
	record(t, r, length-1, answer{latency: 5 * time.Second, err: errUnanswered})
	// What failed after a wait waited all the same: without these two p99.9 would be 1 s.
	record(t, r, length-1, answer{latency: 3 * time.Second, status: 503})
	record(t, r, length-1, answer{latency: 4 * time.Second, err: errors.New("reset")})

	got := r.latency()
	want := Latency{Requests: 1000, Failed: 2, Unanswered: 1, P50: 502, P95: 953, P99: 993, P999: 4000, Max: 5000}
	if diff := cmp.Diff(want, got, near, cmpopts.IgnoreFields(Latency{}, "Curve", "Timeline")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	if len(got.Timeline) != timelineSlices {
		t.Fatalf("%d slices", len(got.Timeline))
	}
	var count int64
	for i, s := range got.Timeline {
		count += s.Count
		if i > 0 && s.Max <= got.Timeline[i-1].Max {
			t.Errorf("slice %d: %+v after %+v", i, s, got.Timeline[i-1])
		}
	}
	if count != 1003 {
		t.Errorf("the timeline holds %d requests", count)
	}
	if first := got.Timeline[0]; first.At != 0.05 {
		t.Errorf("first slice is at %v s", first.At)
	}

	last := got.Curve[len(got.Curve)-1]
	if first := got.Curve[0]; first.Percentile != 50 || first.Ms != got.P50 || last.Percentile >= 100 || last.Ms < got.P999 {
		t.Errorf("the curve goes from %+v to %+v", first, last)
	}
}

// Rounds that are merged must give what one recorder for all gives.
func TestRecorderMerge(t *testing.T) {
	const length = time.Second
	whole, halves := newRecorder(length), [2]*recorder{newRecorder(length), newRecorder(length)}
	for i := range 500 {
		at := time.Duration(i) * length / 500
		a := answer{latency: time.Duration(1+i*i) * time.Microsecond, status: 200}
		switch i % 50 {
		case 3:
			a.status = 500
		case 4:
			a.status, a.err = 0, errUnanswered
		}
		record(t, whole, at, a)
		record(t, halves[i%2], at, a)
	}
	merged := newRecorder(length)
	for _, half := range halves {
		merged.merge(half)
	}
	if diff := cmp.Diff(whole.latency(), merged.latency()); diff != "" {
		t.Errorf("(-whole +merged):\n%s", diff)
	}
	if diff := cmp.Diff(halves[0].latency(), merged.latency()); diff == "" {
		t.Error("the second half changed nothing")
	}
}

func TestRecorderEmpty(t *testing.T) {
	if diff := cmp.Diff(Latency{}, newRecorder(time.Second).latency()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLevels(t *testing.T) {
	a, b := levels{0: 5, 1: 7}, levels{0: 9, 59: 1}
	a.merge(&b)
	want := []Level{{At: 0.5, Count: 9}, {At: 1.5, Count: 7}, {At: 59.5, Count: 1}}
	if diff := cmp.Diff(want, a.of(60)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
