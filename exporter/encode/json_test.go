package encode_test

import (
	"bytes"
	"math"
	"testing"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"pgregory.net/rapid"

	"github.com/offlock/offlock/exporter/encode"
)

// sameJSON fails unless the line is the library's, and an error leaves what was there.
func sameJSON(t interface {
	Helper()
	Errorf(string, ...any)
}, e ffexporter.ExportableEvent) {
	t.Helper()
	const before = "before "
	want, wantErr := e.FormatInJSON()
	got, err := encode.JSON{}.Append([]byte(before), e)
	if wantErr != nil {
		if err == nil || string(got) != before {
			t.Errorf("Append(%#v) = %q, %v; the library: %v", e, got, err, wantErr)
		}
		return
	}
	if err != nil || string(got) != before+string(want) {
		t.Errorf("Append(%#v):\n got %q, %v\nwant %q after %q", e, got, err, want, before)
	}
}

func TestJSONIsTheLibrarysJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { sameJSON(t, event().Draw(t, "event")) })
}

func TestJSONOfHardEvents(t *testing.T) {
	cycle := map[string]any{}
	cycle["self"] = []any{cycle}
	for _, e := range []ffexporter.ExportableEvent{
		ffexporter.FeatureEvent{},
		&ffexporter.FeatureEvent{},
		ffexporter.TrackingEvent{},
		&ffexporter.TrackingEvent{},
		ffexporter.FeatureEvent{CreationDate: math.MinInt64, Metadata: map[string]any{}},
		ffexporter.FeatureEvent{Kind: "<\u2028\xff>", ContextKind: "\n", Value: uint64(math.MaxUint64)},
		ffexporter.FeatureEvent{Value: math.Inf(-1)},
		ffexporter.FeatureEvent{Value: cycle},
		ffexporter.FeatureEvent{Metadata: cycle},
		ffexporter.FeatureEvent{Value: 1, Metadata: map[string]any{"a": 1, "f": func() {}}},
		ffexporter.TrackingEvent{EvaluationContext: map[string]any{}, TrackingDetails: cycle},
		ffexporter.TrackingEvent{EvaluationContext: cycle},
		other{line: "a line of its own\n"},
	} {
		sameJSON(t, e)
	}
}

func FuzzJSON(f *testing.F) {
	f.Add("feature", "user-1", "flag", "on", "metadata key", int64(1680246000), 1.5, true)
	f.Add("<>", "\"\\", "\u2028", "\xff\xfe", "", int64(-1), 1e21, false)
	f.Add("", "", "aaaaaaa\x00", "aaaaaaaa|", "~^", int64(math.MaxInt64), math.NaN(), false)
	f.Fuzz(func(t *testing.T, kind, user, key, variation, entry string, date int64, number float64, b bool) {
		for _, v := range []any{number, float32(number), b, variation, date, map[string]any{entry: number, key: []any{user, b}}} {
			sameJSON(t, ffexporter.FeatureEvent{
				Kind: kind, ContextKind: variation, UserKey: user, CreationDate: date, Key: key, Variation: variation,
				Value: v, Default: b, Version: entry, Source: kind, Metadata: map[string]any{entry: user, user: date},
			})
		}
		sameJSON(t, &ffexporter.TrackingEvent{
			Kind: kind, UserKey: user, CreationDate: date, Key: key,
			EvaluationContext: map[string]any{entry: key}, TrackingDetails: map[string]any{"value": number},
		})
	})
}

func TestAppendingAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("under the race detector a pool drops some of what it is given")
	}
	buf := make([]byte, 0, 1<<16)
	csv, err := encode.NewCSV(encode.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	dated, err := encode.NewCSV(encode.CSVOptions{Template: `"{{ .UserKey }}",{{ .FormattedDate }}` + "\n", Quote: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]any{"bool": true, "string": "a <string>; \"quoted\"", "int": 123456789, "float": 12.25} {
		var e ffexporter.ExportableEvent = ffexporter.FeatureEvent{
			Kind: "feature", ContextKind: "user", UserKey: "94a25909;20d8", CreationDate: 1680246000, Key: "flag", Variation: "on", Value: v,
			Metadata: map[string]any{"a": "<b>", "c": 1.5, "d": true},
		}
		for format, append := range map[string]func([]byte, ffexporter.ExportableEvent) ([]byte, error){
			"json": encode.JSON{}.Append, "csv": csv.Append, "own csv": dated.Append,
		} {
			if n := testing.AllocsPerRun(200, func() {
				if _, err := append(buf, e); err != nil {
					t.Error(err)
				}
			}); n != 0 {
				t.Errorf("%s of a feature event with a %s: %v allocations", format, name, n)
			}
		}
	}
	var e ffexporter.ExportableEvent = ffexporter.TrackingEvent{
		Kind: "tracking", UserKey: "user", Key: "checkout", EvaluationContext: map[string]any{"admin": true}, TrackingDetails: map[string]any{"value": 1.5},
	}
	for format, append := range map[string]func([]byte, ffexporter.ExportableEvent) ([]byte, error){"json": encode.JSON{}.Append, "csv": csv.Append} {
		if n := testing.AllocsPerRun(200, func() {
			if _, err := append(buf, e); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%s of a tracking event: %v allocations", format, n)
		}
	}
}

func TestABatchIsItsLines(t *testing.T) {
	csv, err := encode.NewCSV(encode.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		events := rapid.SliceOfN(event(), 0, 20).Draw(t, "events")
		for _, c := range []struct {
			encoder encode.Encoder
			append  func([]byte, ffexporter.ExportableEvent) ([]byte, error)
		}{{encode.JSON{}, encode.JSON{}.Append}, {csv, csv.Append}} {
			var want []byte
			var wantRefused []int
			for i, e := range events {
				var err error
				if want, err = c.append(want, e); err != nil {
					wantRefused = append(wantRefused, i)
				}
			}
			var got bytes.Buffer
			refused, err := c.encoder.Encode(&got, events)
			if err != nil || !bytes.Equal(got.Bytes(), want) {
				t.Fatalf("%s: %v\n got %q\nwant %q", c.encoder.Format(), err, got.Bytes(), want)
			}
			if len(refused) != len(wantRefused) {
				t.Fatalf("%s: refused %v, want those at %v", c.encoder.Format(), refused, wantRefused)
			}
			for i, r := range refused {
				if r.Index != wantRefused[i] || r.Err == nil {
					t.Fatalf("%s: refused %v, want the event at %d", c.encoder.Format(), r, wantRefused[i])
				}
			}
		}
	})
}
