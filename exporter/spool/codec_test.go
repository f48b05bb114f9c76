package spool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/google/go-cmp/cmp"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"pgregory.net/rapid"

	"github.com/offlock/offlock/exporter"
	"github.com/offlock/offlock/exporter/encode"
)

var (
	featureCSV = template.Must(template.New("feature").Parse(ffexporter.DefaultCsvTemplate))
	allCSV     = template.Must(template.New("all").Parse("{{ .Kind}};{{ .FormattedDate}};{{ .Value}};{{ .Metadata}};{{range $k, $v := .Metadata}}{{$k}}={{$v}},{{end}}\n"))
	trackCSV   = template.Must(template.New("track").Parse("{{ .Kind}};{{ .Key}};{{ .EvaluationContext}};{{range $k, $v := .TrackingDetails}}{{$k}}={{$v}},{{end}}\n"))
)

// outputs is all that exporters write of an event, refusals included.
func outputs(event ffexporter.ExportableEvent) []string {
	templates := []*template.Template{featureCSV, allCSV}
	feature := ffexporter.FeatureEvent{}
	switch e := event.(type) {
	case ffexporter.FeatureEvent:
		feature = e
	case *ffexporter.FeatureEvent:
		feature = *e
	default:
		templates = []*template.Template{trackCSV}
	}
	var all []string
	add := func(output []byte, err error) {
		if err != nil {
			all = append(all, "refused")
			return
		}
		all = append(all, string(output))
	}
	add(event.FormatInJSON())
	for _, tmpl := range templates {
		add(event.FormatInCSV(tmpl))
	}
	parquet, err := feature.ConvertValueForParquet()
	add([]byte(parquet), err)
	return append(all, fmt.Sprintf("%T %s %s %d", event, event.GetKey(), event.GetUserKey(), event.GetCreationDate()))
}

// trip writes events as a file and reads that again.
func trip(t interface{ Fatal(...any) }, b exporter.Batch, events ...ffexporter.ExportableEvent) (exporter.Batch, []ffexporter.ExportableEvent) {
	file, err := appendBatch(newFile(0), b, events)
	if err != nil {
		t.Fatal(err)
	}
	seal(file)
	payload, err := readFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	b, events, err = decodeBatch(payload)
	if err != nil {
		t.Fatal(err)
	}
	return b, events
}

type (
	point  struct{ X, Y int }
	level  int
	loud   struct{ name string }
	broken struct{}
)

func (l loud) String() string               { return strings.ToUpper(l.name) }
func (broken) MarshalJSON() ([]byte, error) { panic("broken") }

func TestValuesAreWrittenAsBefore(t *testing.T) {
	one, text := 1, "text"
	for name, value := range map[string]any{
		"nil": nil, "true": true, "false": false, "empty": "", "text": "a;\"b\"\n<&>\u2028\x00", "not UTF-8": "a\xffb",
		"int": 1, "million": 1_000_000, "float million": 1e6, "float 1": 1.0, "small float": 1e-7, "large float": 1e21, "-0": math.Copysign(0, -1),
		"int64": int64(math.MaxInt64), "uint64": uint64(math.MaxUint64), "int8": int8(-8), "int16": int16(16), "int32": int32(-32),
		"uint": uint(1), "uint8": uint8(8), "uint16": uint16(16), "uint32": uint32(32), "float32": float32(0.1),
		"number": json.Number("12345678901234567890.10"), "not a number": math.NaN(), "infinite": math.Inf(-1),
		"list": []any{1, 1.0, "a", nil, []any{}}, "nil list": []any(nil), "strings": []string{"a", "b"}, "nil strings": []string(nil),
		"floats": []float32{0.1, 1}, "array": [2]int{1, 2}, "bytes": []byte("bytes"), "raw": json.RawMessage(`{"a": [1, 2 ]}`),
		"map": map[string]any{"b": 1, "a": map[string]any{}, "": nil}, "nil map": map[string]any(nil), "string map": map[string]string{"a": "b"},
		"int map": map[int]string{10: "a", 9: "b"}, "struct": point{1, 2}, "structs": []point{{1, 2}}, "named": level(3),
		"pointer": &one, "pointer to text": &text, "nil pointer": (*int)(nil), "struct pointer": &point{3, 4},
		"time": time.Unix(1e9, 5).UTC(), "duration": time.Second, "error": errors.New("an error"), "stringer": loud{"loud"}, "stringer pointer": &loud{"loud"},
		"function": func() {}, "channel": make(chan int), "complex": complex(1, 2),
	} {
		t.Run(name, func(t *testing.T) {
			nested := map[string]any{"nested": value, "list": []any{value}}
			if strings.Contains(name, "pointer") || name == "channel" || name == "function" {
				nested = nil // fmt prints their addresses there
			}
			events := []ffexporter.ExportableEvent{
				ffexporter.FeatureEvent{Kind: "feature", Value: value, Metadata: nested},
				ffexporter.TrackingEvent{Kind: "tracking", EvaluationContext: nested, TrackingDetails: map[string]any{"value": value}},
			}
			want := append(outputsOf(events), encoded(events)...)
			_, got := trip(t, exporter.Batch{}, events...)
			again, err := appendBatch(nil, exporter.Batch{}, got)
			if err != nil {
				t.Fatal(err)
			}
			first, _ := appendBatch(nil, exporter.Batch{}, events)
			if diff := cmp.Diff(want, append(outputsOf(got), encoded(got)...)); diff != "" {
				t.Error(diff)
			}
			if !bytes.Equal(first, again) {
				t.Errorf("a second trip differs: %q, %q", first, again)
			}
		})
	}
}

// Values that would end the program, or the batch, are refused by exporters afterwards, and no more than that.
func TestValuesThatCannotBeWritten(t *testing.T) {
	loop, numbered, mixed := map[string]any{}, map[int]any{}, map[any]any{}
	list := []any{nil}
	loop["loop"], numbered[1], mixed[1], list[0] = loop, numbered, mixed, list
	var pointer any
	pointer = &pointer
	for name, value := range map[string]any{
		"map": loop, "map of numbers": numbered, "mixed map": mixed, "list": list, "struct": struct{ X any }{numbered}, "pointer": pointer,
		"encoding that panics": broken{},
	} {
		_, got := trip(t, exporter.Batch{}, ffexporter.FeatureEvent{Value: value, Metadata: map[string]any{"value": value}})
		if _, err := got[0].FormatInJSON(); err == nil {
			t.Errorf("%s: it was written as JSON", name)
		}
		if _, err := got[0].FormatInCSV(allCSV); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func outputsOf(events []ffexporter.ExportableEvent) (all []string) {
	for _, event := range events {
		all = append(all, outputs(event)...)
	}
	return all
}

func TestBatchRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone := time.FixedZone("", rapid.IntRange(-12*60, 14*60).Draw(t, "zone")*60)
		b := exporter.Batch{
			Instance: rapid.String().Draw(t, "instance"),
			First:    rapid.Int64().Draw(t, "first"), Last: rapid.Int64().Draw(t, "last"), Attempt: rapid.Int().Draw(t, "attempt"),
			Began: time.Unix(rapid.Int64Range(0, 1e10).Draw(t, "second"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanosecond")).In(zone),
		}
		events := rapid.SliceOf(anyEvent()).Draw(t, "events")
		gotBatch, got := trip(t, b, events...)
		if !gotBatch.Began.Equal(b.Began) || gotBatch.Began.Format(time.RFC3339Nano) != b.Began.Format(time.RFC3339Nano) {
			t.Fatalf("the batch began at %v, and at %v afterwards", b.Began, gotBatch.Began)
		}
		b.Began, gotBatch.Began = time.Time{}, time.Time{}
		if b != gotBatch {
			t.Fatalf("batch %+v became %+v", b, gotBatch)
		}
		if len(got) != len(events) {
			t.Fatalf("%d events became %d", len(events), len(got))
		}
		for i := range events {
			if diff := cmp.Diff(outputs(events[i]), outputs(got[i])); diff != "" {
				t.Fatal(diff)
			}
		}
		if diff := cmp.Diff(encoded(events), encoded(got)); diff != "" {
			t.Fatal("this module's encoders:", diff)
		}
		if diff := cmp.Diff(events, got, cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })); diff != "" {
			t.Fatal("types or values changed:", diff)
		}
	})
}

// encoded is what the encoders of this module write of a batch, and which events they refuse.
func encoded(events []ffexporter.ExportableEvent) (all []string) {
	csv, err1 := encode.NewCSV(encode.CSVOptions{})
	parquet, err2 := encode.NewParquet(encode.ParquetOptions{})
	if err := errors.Join(err1, err2); err != nil {
		return []string{err.Error()}
	}
	for _, encoder := range []encode.Encoder{encode.JSON{}, csv, parquet} {
		var out bytes.Buffer
		refused, err := encoder.Encode(&out, events)
		line := fmt.Sprintf("%s %x %v", encoder.Format(), out.Bytes(), err)
		for _, r := range refused {
			line += fmt.Sprint(" ", r.Index)
		}
		all = append(all, line)
	}
	return all
}

func anyEvent() *rapid.Generator[ffexporter.ExportableEvent] {
	texts, maps := rapid.String(), anyMap(3)
	return rapid.Custom(func(t *rapid.T) ffexporter.ExportableEvent {
		feature := ffexporter.FeatureEvent{
			Kind: texts.Draw(t, "kind"), ContextKind: texts.Draw(t, "contextKind"), UserKey: texts.Draw(t, "userKey"),
			CreationDate: rapid.Int64Range(-1e11, 1e11).Draw(t, "creationDate"), Key: texts.Draw(t, "key"), Variation: texts.Draw(t, "variation"),
			Value: anyValue(3).Draw(t, "value"), Default: rapid.Bool().Draw(t, "default"), Version: texts.Draw(t, "version"),
			Source: texts.Draw(t, "source"), Metadata: maps.Draw(t, "metadata"),
		}
		tracking := ffexporter.TrackingEvent{
			Kind: feature.Kind, ContextKind: feature.ContextKind, UserKey: feature.UserKey, CreationDate: feature.CreationDate, Key: feature.Key,
			EvaluationContext: feature.Metadata, TrackingDetails: maps.Draw(t, "details"),
		}
		return rapid.SampledFrom([]ffexporter.ExportableEvent{feature, tracking, &feature, &tracking}).Draw(t, "event")
	})
}

// anyValue draws values whose type a file keeps.
func anyValue(depth int) *rapid.Generator[any] {
	kinds := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.String().AsAny(), rapid.Int().AsAny(), rapid.Int8().AsAny(), rapid.Int16().AsAny(),
		rapid.Int32().AsAny(), rapid.Int64().AsAny(), rapid.Uint().AsAny(), rapid.Uint8().AsAny(), rapid.Uint16().AsAny(), rapid.Uint32().AsAny(),
		rapid.Uint64().AsAny(), rapid.Float32().AsAny(), rapid.Float64().AsAny(), rapid.Just[any](json.Number("1.50")),
		rapid.SampledFrom([]any{math.NaN(), math.Inf(1), 1e21, 1e-7, 5.0, int64(math.MinInt64), uint64(math.MaxUint64)}),
	}
	if depth > 0 {
		list := rapid.Deferred(func() *rapid.Generator[[]any] { return rapid.SliceOfN(anyValue(depth-1), 0, 3) })
		kinds = append(kinds, list.AsAny(), rapid.Just[any]([]any(nil)), anyMap(depth).AsAny())
	}
	return rapid.OneOf(kinds...)
}

func anyMap(depth int) *rapid.Generator[map[string]any] {
	full := rapid.Deferred(func() *rapid.Generator[map[string]any] {
		return rapid.MapOfN(rapid.String(), anyValue(depth-1), 0, 3)
	})
	return rapid.OneOf(full, rapid.Just(map[string]any(nil)))
}
