package parquetread

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/offlock/offlock/exporter/encode"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
)

// row is a row as any reader can give it: an int64, a bool, a string or a
// map[string]string by column name.
type row map[string]any

// features are events of several row groups: users that recur and users that do
// not, maps that are missing for pages on end, values of every kind.
func features(n int) []ffexporter.ExportableEvent {
	values := []any{
		"blue", "", "é日😀 <&>\u2028", true, false, nil, 12.5, int64(1) << 60, []any{1, "x", nil},
		map[string]any{"title": "Welcome", "nested": map[string]any{"limit": 20}},
	}
	events := make([]ffexporter.ExportableEvent, n)
	for i := range events {
		e := ffexporter.FeatureEvent{
			Kind: "feature", ContextKind: "user", UserKey: fmt.Sprintf("user-%030d", i*7919%n), CreationDate: int64(1_700_000_000 + i),
			Key: fmt.Sprintf("flag-%d", i%40), Variation: []string{"enabled", "disabled"}[i%2], Value: values[i%len(values)],
			Default: i%5 == 0, Version: "v1", Source: "SERVER",
		}
		if i%10 == 3 {
			e.UserKey = "torn \xff\xfe"
		}
		if i > n/2 {
			e.Metadata = map[string]any{"request": i, "zone": "a\xffb", "nothing": nil, "flags": map[string]any{"a": true}}
		}
		events[i] = e
	}
	return events
}

func trackings(n int) []ffexporter.ExportableEvent {
	events := make([]ffexporter.ExportableEvent, n)
	for i := range events {
		e := &ffexporter.TrackingEvent{
			Kind: "tracking", ContextKind: "anonymousUser", UserKey: fmt.Sprintf("user-%030d", i), CreationDate: int64(i), Key: "purchase",
			EvaluationContext: map[string]any{"targetingKey": fmt.Sprintf("user-%030d", i), "beta": i%2 == 0},
		}
		if i%3 == 0 {
			e.TrackingDetails = map[string]any{"amount": float64(i) / 4, "currency": "EUR"}
		}
		events[i] = e
	}
	return events
}

// rows are what a reader has to find, worked out with encoding/json.
func rows(t testing.TB, events []ffexporter.ExportableEvent) []row {
	t.Helper()
	out := make([]row, len(events))
	for i, event := range events {
		switch e := event.(type) {
		case ffexporter.FeatureEvent:
			out[i] = row{
				"kind": e.Kind, "contextKind": e.ContextKind, "userKey": valid(e.UserKey), "creationDate": e.CreationDate,
				"key": e.Key, "variation": e.Variation, "value": marshal(t, e.Value), "default": e.Default,
				"version": e.Version, "source": e.Source, "metadata": texts(t, e.Metadata),
			}
		case *ffexporter.TrackingEvent:
			out[i] = row{
				"kind": e.Kind, "contextKind": e.ContextKind, "userKey": e.UserKey, "creationDate": e.CreationDate,
				"key": e.Key, "evaluationContext": texts(t, e.EvaluationContext), "trackingEventDetails": texts(t, e.TrackingDetails),
			}
		}
	}
	return out
}

func valid(s string) string { return string([]rune(s)) }

func marshal(t testing.TB, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func texts(t testing.TB, m map[string]any) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		if s, ok := v.(string); ok {
			out[k] = valid(s)
		} else {
			out[k] = marshal(t, v)
		}
	}
	return out
}

// write returns the name of a file that an encoder wrote which has written
// another one before.
func write(t testing.TB, o encode.ParquetOptions, events []ffexporter.ExportableEvent) string {
	t.Helper()
	encoder, err := encode.NewParquet(o)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "events.parquet")
	for _, batch := range [][]ffexporter.ExportableEvent{events[:1], events} {
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		refused, err := encoder.Encode(f, batch)
		if err != nil || len(refused) > 0 {
			t.Fatal(refused, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return name
}

// batches are read by every reader.
var batches = map[string]struct {
	options encode.ParquetOptions
	events  []ffexporter.ExportableEvent
}{
	"feature":      {encode.ParquetOptions{}, features(3000)},
	"tracking":     {encode.ParquetOptions{}, trackings(3000)},
	"one":          {encode.ParquetOptions{}, features(1)},
	"row groups":   {encode.ParquetOptions{RowGroupBytes: 64 << 10}, features(12_000)},
	"dictionaries": {encode.ParquetOptions{RowGroupBytes: 2 << 20}, trackings(15_000)},
	"uncompressed": {encode.ParquetOptions{CompressionCodec: "UNCOMPRESSED"}, features(3000)},
	"gzip":         {encode.ParquetOptions{CompressionCodec: "GZIP"}, features(3000)},
	"brotli":       {encode.ParquetOptions{CompressionCodec: "BROTLI"}, features(3000)},
	"zstd":         {encode.ParquetOptions{CompressionCodec: "ZSTD"}, features(3000)},
	"lz4":          {encode.ParquetOptions{CompressionCodec: "LZ4_RAW"}, features(3000)},
}
