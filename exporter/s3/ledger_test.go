package s3

import (
	"math"
	"testing"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
)

func event(user string, value any) ffexporter.ExportableEvent {
	return ffexporter.FeatureEvent{Kind: "feature", UserKey: user, Value: value}
}

// A batch that failed is known by all that is in it, once; what is forgotten is the oldest.
func TestLedger(t *testing.T) {
	l := newLedger("pod")
	type events = []ffexporter.ExportableEvent
	failed := events{event("a", 1), event("b", math.Inf(1))}
	b := l.identify(failed)
	if b.Instance != "pod" || b.First != 0 || b.Last != 1 || b.Attempt != 1 || b.Began.IsZero() {
		t.Fatalf("%+v", b)
	}
	l.remember(failed, b)
	for name, other := range map[string]events{
		"another value":             {event("a", 2), event("b", math.Inf(1))},
		"one that has no encoding":  {event("a", 1), event("b", math.Inf(-1))},
		"order":                     {event("b", math.Inf(1)), event("a", 1)},
		"more":                      {event("a", 1), event("b", math.Inf(1)), event("c", 1)},
		"less":                      {event("a", 1)},
		"another one has no coding": {event("a", math.Inf(1)), event("b", 1)},
	} {
		if got := l.identify(other); got.First == b.First {
			t.Errorf("%s: taken for the batch that failed", name)
		}
	}
	again := l.identify(events{event("a", 1), event("b", math.Inf(1))})
	if again.Attempt != 2 || idOf(again) != idOf(b) || !again.Began.Equal(b.Began) {
		t.Errorf("%+v, want the second attempt of %+v", again, b)
	}
	if third := l.identify(failed); idOf(third) == idOf(b) {
		t.Error("a batch that was tried again, and is new now, has its name")
	}

	for i := range MaxRemembered + 1 {
		l.remember(events{event("x", i)}, b)
	}
	if n := l.failed.len(); n != MaxRemembered || len(l.failed.order) != n {
		t.Errorf("%d batches are remembered", n)
	}
	if got := l.identify(events{event("x", 0)}); got.Attempt != 1 {
		t.Error("the oldest is remembered")
	}
	if got := l.identify(events{event("x", MaxRemembered)}); got.Attempt != 2 {
		t.Error("the newest is forgotten")
	}
}

func TestInstancesDiffer(t *testing.T) {
	if a, b := newLedger("").instance, newLedger("").instance; a == b || len(a) != 16 {
		t.Error(a, b)
	}
}
