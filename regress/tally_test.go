package regress

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSettle(t *testing.T) {
	arrivals := []arrival{
		{caller: "a", events: 1}, {caller: "b", events: 1}, {caller: "c", events: 1}, {caller: "d", events: 1},
		{caller: "e", events: 1, warmup: true}, {caller: "f", events: 3}, {caller: "k", events: 1, endpoint: check},
	}
	taken, refused := answer{status: 200}, answer{status: 503}
	answers := []answer{taken, taken, taken, refused, {err: errors.New("reset")}, taken, taken}
	got, err := settle(arrivals, answers, bucket{
		Objects: 3, Events: 8, Puts: 5, FailedPuts: 2, Late: 6, FailedNames: 3, AbandonedNames: 2, ChangedNames: 1,
		Users: map[string]int64{"a": 1, "b": 3, "e": 2, "f.0": 1, "f.2": 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Events{
		Accepted: 6, Stored: 4, Lost: 2, Repeated: 3, Refused: 2, Unasked: 1, Late: 6,
		Objects: 3, Puts: 5, FailedPuts: 2, FailedNames: 3, AbandonedNames: 2, ChangedNames: 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	twice := got
	twice.add(got)
	want = Events{
		Accepted: 12, Stored: 8, Lost: 4, Repeated: 6, Refused: 4, Unasked: 2, Late: 12,
		Objects: 6, Puts: 10, FailedPuts: 4, FailedNames: 6, AbandonedNames: 4, ChangedNames: 2,
	}
	if diff := cmp.Diff(want, twice); diff != "" {
		t.Errorf("added (-want +got):\n%s", diff)
	}

	if _, err := settle(arrivals, answers, bucket{Events: 2, Users: map[string]int64{"a": 1, "stranger": 1}}); err == nil {
		t.Error("a bucket with a stranger's events was taken for this run's")
	}
	if _, err := settle(arrivals, answers, bucket{Events: 1, Users: map[string]int64{"k": 1}}); err == nil {
		t.Error("an event of /check was taken for one of the library")
	}
	if _, err := settle(arrivals, answers, bucket{Events: 2, Users: map[string]int64{"a": 1}}); err == nil {
		t.Error("a count that differs from the sum over the users was believed")
	}
}
