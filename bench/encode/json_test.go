package encode

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/encoder"
	v2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	v1 "github.com/go-json-experiment/json/v1"
	"github.com/launchdarkly/go-jsonstream/v3/jwriter"
	segmentio "github.com/segmentio/encoding/json"
	"github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/exporter/encode"
)

// jsonWays make a line each of their own way. Where a way can write into a buffer that is there already, it does; its buffers
// and encoders are made once.
var jsonWays = []struct {
	name string
	make func() line
	same bool // its bytes are the library's, for all of the events above
}{
	{"library", func() line { return library }, true},
	{"encoding-json", encodingJSON, true},
	{"segmentio", func() line { return segmentioAppend }, true},
	{"jsonexperiment-v1", func() line { return experiment(v1.DefaultOptionsV1()) }, true},
	{"jsonexperiment-v2", func() line { return experiment() }, false},
	{"sonic-std", func() line { return sonicWith(sonicStd) }, true},
	{"sonic-default", func() line { return sonicWith(0) }, false},
	{"jsonstream", func() line { return jsonstream }, false},
	{"offlock", func() line { return encode.JSON{}.Append }, true},
}

// library is what the library's exporters do, one after another, with every event.
func library(dst []byte, e exporter.ExportableEvent) ([]byte, error) {
	b, err := e.FormatInJSON()
	return append(dst, b...), err
}

// encodingJSON keeps an Encoder, which saves the copies that Marshal makes.
func encodingJSON() line {
	var out output
	encoder := stdjson.NewEncoder(&out)
	return func(dst []byte, e exporter.ExportableEvent) ([]byte, error) {
		out = dst
		err := encoder.Encode(e)
		return out, err
	}
}

type output []byte

func (o *output) Write(p []byte) (int, error) {
	*o = append(*o, p...)
	return len(p), nil
}

func segmentioAppend(dst []byte, e exporter.ExportableEvent) ([]byte, error) {
	dst, err := segmentio.Append(dst, e, segmentio.EscapeHTML|segmentio.SortMapKeys)
	return append(dst, '\n'), err
}

// experiment keeps an encoder of go-json-experiment, which ends each value with a newline.
func experiment(options ...jsontext.Options) line {
	var out output
	encoder := jsontext.NewEncoder(&out, options...)
	return func(dst []byte, e exporter.ExportableEvent) ([]byte, error) {
		out = dst
		encoder.Reset(&out, options...)
		err := v2.MarshalEncode(encoder, e)
		return out, err
	}
}

// sonicStd is what sonic.ConfigStd encodes with.
const sonicStd = encoder.EscapeHTML | encoder.SortMapKeys | encoder.CompactMarshaler | encoder.ValidateString

// sonicWith encodes behind what is there: given the whole buffer, sonic would escape all of it again.
func sonicWith(options encoder.Options) line {
	return func(dst []byte, e exporter.ExportableEvent) ([]byte, error) {
		line := dst[len(dst):]
		err := encoder.EncodeInto(&line, e, options)
		return append(append(dst, line...), '\n'), err
	}
}

// jsonstream is written by hand, field by field, as offlock's encoder is.
func jsonstream(dst []byte, e exporter.ExportableEvent) ([]byte, error) {
	w := jwriter.NewWriter()
	o := w.Object()
	switch e := e.(type) {
	case exporter.FeatureEvent:
		o.Name("kind").String(e.Kind)
		o.Maybe("contextKind", e.ContextKind != "").String(e.ContextKind)
		o.Name("userKey").String(e.UserKey)
		o.Name("creationDate").Int(int(e.CreationDate))
		o.Name("key").String(e.Key)
		o.Name("variation").String(e.Variation)
		streamValue(o.Name("value"), e.Value)
		o.Name("default").Bool(e.Default)
		o.Name("version").String(e.Version)
		o.Name("source").String(e.Source)
		if len(e.Metadata) > 0 {
			streamValue(o.Name("metadata"), e.Metadata)
		}
	case exporter.TrackingEvent:
		o.Name("kind").String(e.Kind)
		o.Maybe("contextKind", e.ContextKind != "").String(e.ContextKind)
		o.Name("userKey").String(e.UserKey)
		o.Name("creationDate").Int(int(e.CreationDate))
		o.Name("key").String(e.Key)
		streamValue(o.Name("evaluationContext"), e.EvaluationContext)
		streamValue(o.Name("trackingEventDetails"), e.TrackingDetails)
	}
	o.End()
	return append(append(dst, w.Bytes()...), '\n'), w.Error()
}

func streamValue(w *jwriter.Writer, v any) {
	switch v := v.(type) {
	case bool:
		w.Bool(v)
	case string:
		w.String(v)
	case float64:
		w.Float64(v)
	case map[string]any:
		o := w.Object()
		for k, v := range v {
			streamValue(o.Name(k), v)
		}
		o.End()
	case []any:
		a := w.Array()
		for _, v := range v {
			streamValue(w, v)
		}
		a.End()
	default:
		w.AddError(fmt.Errorf("a %T", v))
	}
}

func TestWaysThatWriteTheSameJSON(t *testing.T) {
	for _, way := range jsonWays {
		append := way.make()
		same := true
		for _, e := range events {
			want, err := e.event.FormatInJSON()
			if err != nil {
				t.Fatal(err)
			}
			for range 20 { // maps come in a different order each time
				got, err := append(nil, e.event)
				if err != nil {
					t.Fatalf("%s: %s: %v", way.name, e.name, err)
				}
				if !bytes.Equal(got, want) {
					same = false
					t.Logf("%s writes\n%swhere the library writes\n%s", way.name, got, want)
					break
				}
			}
		}
		if same != way.same {
			t.Errorf("%s: its bytes are the library's: %v; expected %v", way.name, same, way.same)
		}
	}
}

func BenchmarkJSON(b *testing.B) {
	// sonic compiles a type when it first sees it.
	for _, e := range events {
		if _, err := sonic.ConfigStd.Marshal(e.event); err != nil {
			b.Fatal(err)
		}
	}
	for _, e := range events {
		for _, way := range jsonWays {
			b.Run(fmt.Sprintf("event=%s/way=%s", e.name, way.name), func(b *testing.B) { fill(b, e.event, way.make()) })
		}
	}
}

// BenchmarkJSONBatch encodes 10,000 events, 20 of them different, into a writer that takes no time.
func BenchmarkJSONBatch(b *testing.B) { batch(b, encode.JSON{}) }

func batch(b *testing.B, encoder encode.Encoder) {
	all := make([]exporter.ExportableEvent, 10_000)
	for i := range all {
		all[i] = with(func(e *exporter.FeatureEvent) {
			e.UserKey = fmt.Sprintf("94a25909-20d8-40cc-8500-fee99b56%04d", i%20)
			e.CreationDate += int64(i)
		})
	}
	var size countingWriter
	if _, err := encoder.Encode(&size, all); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		if refused, err := encoder.Encode(io.Discard, all); err != nil || len(refused) > 0 {
			b.Fatal(refused, err)
		}
	}
}

type countingWriter int

func (w *countingWriter) Write(p []byte) (int, error) {
	*w += countingWriter(len(p))
	return len(p), nil
}
