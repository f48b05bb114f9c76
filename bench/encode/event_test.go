package encode

import (
	"testing"

	"github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/bench/internal/measure"
)

// events are what is encoded over and over. Each is in an interface already, as it is in a batch.
var events = []struct {
	name  string
	event exporter.ExportableEvent
}{
	{"flag", measure.NewEvent()},
	{"metadata", with(func(e *exporter.FeatureEvent) {
		e.Value = "variant-b"
		e.Metadata = map[string]any{"region": "eu-west-1", "canary": false, "weight": 12.5}
	})},
	{"object", with(func(e *exporter.FeatureEvent) {
		e.Value = map[string]any{
			"title": "Spring sale", "limit": 250.0, "rate": 0.15, "regions": []any{"de", "fr", "it"},
			"theme": map[string]any{"dark": true, "accent": "#1a9c76"},
		}
	})},
	{"escaped", with(func(e *exporter.FeatureEvent) {
		e.UserKey = "Zoë <zoe@example.com>"
		e.Value = "5 > 4 && \"quoted\""
	})},
	{"tracking", exporter.TrackingEvent{
		Kind: "tracking", ContextKind: "user", UserKey: "94a25909-20d8-40cc-8500-fee99b569345", CreationDate: 1680246000, Key: "checkout",
		EvaluationContext: map[string]any{"targetingKey": "94a25909-20d8-40cc-8500-fee99b569345", "admin": false, "country": "de"},
		TrackingDetails:   map[string]any{"value": 99.77, "currency": "USD"},
	}},
}

func with(change func(*exporter.FeatureEvent)) exporter.FeatureEvent {
	e := measure.NewEvent()
	change(&e)
	return e
}

// line appends an event's line to dst.
type line func(dst []byte, e exporter.ExportableEvent) ([]byte, error)

// fill appends lines to one buffer as an export does, and begins again when it is full.
func fill(b *testing.B, e exporter.ExportableEvent, append line) {
	const chunk = 64 << 10
	buf := make([]byte, 0, chunk+8<<10)
	buf, err := append(buf, e)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		if len(buf) >= chunk {
			buf = buf[:0]
		}
		if buf, err = append(buf, e); err != nil {
			b.Fatal(err)
		}
	}
}
