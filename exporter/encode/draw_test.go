package encode_test

import (
	"encoding/json"
	"math"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"pgregory.net/rapid"
)

// text is strings that encoders stumble over.
func text() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`[a-z0-9-]{0,40}`),
		rapid.StringOfN(rapid.SampledFrom([]rune("ab;,\"\r\n\t<>&'\\|~^\u2028\u2029é日😀\x00")), 0, 30, -1),
		rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOfN(rapid.Byte(), 0, 30).Draw(t, "bytes")) }),
	)
}

type (
	named  string
	pair   struct{ A, B any }
	spoken struct{ s string }
)

func (s spoken) String() string { return "spoken " + s.s }

// value is what a flag or a map of an event may hold, a few levels deep.
func value(depth int) *rapid.Generator[any] {
	scalar := rapid.OneOf(
		rapid.Just[any](nil),
		rapid.Map(rapid.Bool(), boxed),
		rapid.Map(text(), boxed),
		rapid.Map(rapid.Int(), boxed),
		rapid.Map(rapid.Int64(), boxed),
		rapid.Map(rapid.Uint64(), boxed),
		rapid.Map(rapid.Float64(), boxed),
		rapid.Map(rapid.Float32(), boxed),
		rapid.Map(rapid.IntRange(-1000, 1000), func(i int) any { return float64(i) / 4 }),
		rapid.SampledFrom([]any{math.Inf(1), math.NaN(), func() {}, make(chan int), json.Number("1e3"), json.Number("?"), named("<n>"),
			spoken{"s"}, &spoken{"p"}, (*spoken)(nil), []byte("b;b"), time.Unix(0, 0).UTC(), complex(1, -1), error(nil)}),
	)
	if depth == 0 {
		return scalar
	}
	inner := rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) })
	return rapid.OneOf(
		scalar,
		rapid.Map(object(depth-1), boxed),
		rapid.Map(rapid.SliceOfN(inner, 0, 4), boxed),
		rapid.Map(rapid.SliceOfN(text(), 0, 4), boxed),
		rapid.Map(rapid.MapOfN(text(), rapid.Int(), 0, 4), boxed),
		rapid.Map(inner, func(v any) any { return pair{A: v, B: 1} }),
		rapid.Map(inner, func(v any) any { return &v }),
	)
}

func boxed[T any](v T) any { return v }

func object(depth int) *rapid.Generator[map[string]any] {
	return rapid.OneOf(
		rapid.Just(map[string]any(nil)),
		rapid.MapOfN(text(), value(depth), 0, 4),
		rapid.MapOfN(text(), value(0), 0, 20),
	)
}

func feature() *rapid.Generator[ffexporter.FeatureEvent] {
	return rapid.Custom(func(t *rapid.T) ffexporter.FeatureEvent {
		return ffexporter.FeatureEvent{
			Kind: text().Draw(t, "kind"), ContextKind: text().Draw(t, "contextKind"), UserKey: text().Draw(t, "userKey"),
			CreationDate: date().Draw(t, "creationDate"), Key: text().Draw(t, "key"), Variation: text().Draw(t, "variation"),
			Value: value(2).Draw(t, "value"), Default: rapid.Bool().Draw(t, "default"), Version: text().Draw(t, "version"),
			Source: text().Draw(t, "source"), Metadata: object(1).Draw(t, "metadata"),
		}
	})
}

func tracking() *rapid.Generator[ffexporter.TrackingEvent] {
	return rapid.Custom(func(t *rapid.T) ffexporter.TrackingEvent {
		return ffexporter.TrackingEvent{
			Kind: text().Draw(t, "kind"), ContextKind: text().Draw(t, "contextKind"), UserKey: text().Draw(t, "userKey"),
			CreationDate: date().Draw(t, "creationDate"), Key: text().Draw(t, "key"),
			EvaluationContext: object(1).Draw(t, "context"), TrackingDetails: object(2).Draw(t, "details"),
		}
	})
}

func date() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.Int64(), rapid.Int64Range(0, 4e9))
}

// event is of either kind, by value or by pointer.
func event() *rapid.Generator[ffexporter.ExportableEvent] {
	return rapid.OneOf(
		rapid.Map(feature(), func(e ffexporter.FeatureEvent) ffexporter.ExportableEvent { return e }),
		rapid.Map(feature(), func(e ffexporter.FeatureEvent) ffexporter.ExportableEvent { return &e }),
		rapid.Map(tracking(), func(e ffexporter.TrackingEvent) ffexporter.ExportableEvent { return e }),
		rapid.Map(tracking(), func(e ffexporter.TrackingEvent) ffexporter.ExportableEvent { return &e }),
	)
}
