package regress

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSettle(t *testing.T) {
	arrivals := []arrival{{user: "a"}, {user: "b"}, {user: "c"}, {user: "d"}, {user: "e", warmup: true}}
	taken, refused := answer{status: 200}, answer{status: 503}
	answers := []answer{taken, taken, taken, refused, {err: errors.New("reset")}}
	got, err := settle(arrivals, answers, bucket{
		Objects: 3, Events: 6, Puts: 4, FailedPuts: 2,
		Users: map[string]int64{"a": 1, "b": 3, "e": 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Events{Accepted: 3, Stored: 2, Lost: 1, Repeated: 3, Refused: 2, Unasked: 1, Objects: 3, Puts: 4, FailedPuts: 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	twice := got
	twice.add(got)
	want = Events{Accepted: 6, Stored: 4, Lost: 2, Repeated: 6, Refused: 4, Unasked: 2, Objects: 6, Puts: 8, FailedPuts: 4}
	if diff := cmp.Diff(want, twice); diff != "" {
		t.Errorf("added (-want +got):\n%s", diff)
	}

	if _, err := settle(arrivals, answers, bucket{Events: 2, Users: map[string]int64{"a": 1, "stranger": 1}}); err == nil {
		t.Error("a bucket with a stranger's events was taken for this run's")
	}
	if _, err := settle(arrivals, answers, bucket{Events: 2, Users: map[string]int64{"a": 1}}); err == nil {
		t.Error("a count that differs from the sum over the users was believed")
	}
}
