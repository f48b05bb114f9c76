package encode

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"pgregory.net/rapid"
)

// Whatever a batch holds, its file gives it back: all of an event that JSON can
// express, in the batch's order, and no event that it cannot.
func TestParquetRoundTrip(t *testing.T) {
	features := newParquet(t, ParquetOptions{RowGroupBytes: minRowGroupBytes, Kind: KindFeature})
	trackings := newParquet(t, ParquetOptions{RowGroupBytes: minRowGroupBytes, Kind: KindTracking})
	rapid.Check(t, func(rt *rapid.T) {
		var feature, tracking []ffexporter.ExportableEvent
		var featureWant []featureLine
		var trackingWant []trackingLine
		// The same few events over and over make files of several blocks and pages,
		// and rows before and after one that is refused.
		repeat := rapid.SampledFrom([]int{1, 1, 1, 1, 1, 1, 1, 300}).Draw(rt, "repeat")
		for range rapid.IntRange(0, 6).Draw(rt, "events") {
			f, fLine, ok := drawFeature(rt)
			g, gLine, ok2 := drawTracking(rt)
			for range repeat {
				feature, tracking = append(feature, f), append(tracking, g)
				if ok {
					featureWant = append(featureWant, fLine)
				}
				if ok2 {
					trackingWant = append(trackingWant, gLine)
				}
			}
		}
		sameRows(rt, t, features, feature, featureWant)
		sameRows(rt, t, trackings, tracking, trackingWant)
	})
}

func sameRows[L any](rt *rapid.T, t *testing.T, p *Parquet, events []ffexporter.ExportableEvent, want []L) {
	var file writeCounter
	refused, err := p.Encode(&file, events)
	if err != nil {
		rt.Fatal(err)
	}
	if len(refused) != len(events)-len(want) {
		rt.Fatalf("refused %d of %d events, want %d: %v", len(refused), len(events), len(events)-len(want), refused)
	}
	got := readParquet[L](t, file.Bytes())
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		rt.Fatal(diff)
	}
	if err := checkPageIndex(file.Bytes()); err != nil {
		rt.Fatal(err)
	}
}

var (
	drawText = rapid.OneOf(
		rapid.SampledFrom([]string{"", "user", "flag-a", "SERVER"}), rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		rapid.StringN(40, 400, -1),
	)
	drawValue = rapid.OneOf(
		rapid.Map(drawText, func(s string) any { return s }),
		rapid.Map(rapid.Float64(), func(f float64) any { return f }),
		rapid.Map(rapid.Int64(), func(n int64) any { return n }),
		rapid.Just[any](nil), rapid.Just[any](true), rapid.Just[any](make(chan int)),
		rapid.Map(rapid.MapOfN(rapid.String(), rapid.Float64(), 0, 3), func(m map[string]float64) any { return m }),
		rapid.Map(rapid.SliceOfN(drawText, 0, 3), func(l []string) any { return l }),
	)
	drawMap = rapid.OneOf(rapid.Just[map[string]any](nil), rapid.MapOfN(rapid.String(), drawValue, 0, 4))
)

func drawFeature(t *rapid.T) (ffexporter.ExportableEvent, featureLine, bool) {
	e := ffexporter.FeatureEvent{
		Kind: drawText.Draw(t, "kind"), ContextKind: drawText.Draw(t, "context"), UserKey: drawText.Draw(t, "user"),
		CreationDate: rapid.Int64().Draw(t, "date"), Key: drawText.Draw(t, "key"), Variation: drawText.Draw(t, "variation"),
		Value: drawValue.Draw(t, "value"), Default: rapid.Bool().Draw(t, "default"), Version: drawText.Draw(t, "version"),
		Source: drawText.Draw(t, "source"), Metadata: drawMap.Draw(t, "metadata"),
	}
	value, err := json.Marshal(e.Value)
	metadata, ok := texts(e.Metadata)
	return e, featureLine{
		valid(e.Kind), valid(e.ContextKind), valid(e.UserKey), e.CreationDate, valid(e.Key), valid(e.Variation),
		string(value), e.Default, valid(e.Version), valid(e.Source), metadata,
	}, ok && err == nil
}

func drawTracking(t *rapid.T) (ffexporter.ExportableEvent, trackingLine, bool) {
	e := ffexporter.TrackingEvent{
		Kind: drawText.Draw(t, "kind"), ContextKind: drawText.Draw(t, "context"), UserKey: drawText.Draw(t, "user"),
		CreationDate: rapid.Int64().Draw(t, "date"), Key: drawText.Draw(t, "key"),
		EvaluationContext: drawMap.Draw(t, "evaluation context"), TrackingDetails: drawMap.Draw(t, "details"),
	}
	context, ok := texts(e.EvaluationContext)
	details, ok2 := texts(e.TrackingDetails)
	return &e, trackingLine{
		valid(e.Kind), valid(e.ContextKind), valid(e.UserKey), e.CreationDate, valid(e.Key), context, details,
	}, ok && ok2
}

// valid is s as a reader that insists on UTF-8 sees it.
func valid(s string) string { return string([]rune(s)) }

// texts is what a map column holds of m, or false if JSON cannot say it.
func texts(m map[string]any) (map[string]string, bool) {
	out := make(map[string]string, len(m))
	for k, v := range m {
		s, isString := v.(string)
		if !isString {
			b, err := json.Marshal(v)
			if err != nil {
				return nil, false
			}
			s = string(b)
		}
		out[k] = valid(s)
	}
	return out, true
}
