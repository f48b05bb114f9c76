//go:build ignore

package exporter_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
)

type stringer struct{ name string }

func (s stringer) String() string { return "<" + s.name + ">" }

type word string

// values is what the fields of random events are taken from.
var values = struct {
	texts []string
	any   []any
}{
	texts: []string{"", "flag", "user;1", "a\nb\r\n", `say "hi"`, "<b>&amp;</b>", "é\u2028\u2029", "\xff\xfe",
		"\x00\x1f\x7f", strings.Repeat("long ", 100)},
	any: []any{nil, true, false, "text", `a;"b"`, "\xff<>", 0, -7, int64(math.MaxInt64), uint64(math.MaxUint64), int8(3),
		1.5, 1e21, 1e-7, 100000000.0, -0.0, float32(0.1), math.MaxFloat64, json.Number("12.50"), word("w;"), stringer{"s"},
		[]byte("bytes"), []any{1, "a", nil}, []string{"x"}, map[string]any{"b": 1, "a": map[string]any{"<": nil}},
		map[string]string{"k": "v"}, map[int]bool{2: true}, struct{ A, B int }{1, 2}, &stringer{"p"}, (*int)(nil),
		time.Unix(7, 0).UTC(), errors.New("an error"), json.RawMessage(`{"a": 1}`),
		math.NaN(), math.Inf(-1), make(chan int), func() {}, map[string]any{"f": func() {}}, json.RawMessage(`{`)},
}

func text(r *rand.Rand) string { return values.texts[r.IntN(len(values.texts))] }

func anyMap(r *rand.Rand) map[string]any {
	if r.IntN(4) == 0 {
		return nil
	}
	m := map[string]any{}
	for range r.IntN(4) {
		m[text(r)] = values.any[r.IntN(len(values.any))]
	}
	return m
}

func featureEvent(r *rand.Rand) exporter.FeatureEvent {
	return exporter.FeatureEvent{Kind: text(r), ContextKind: text(r), UserKey: text(r), CreationDate: r.Int64N(1 << 40),
		Key: text(r), Variation: text(r), Value: values.any[r.IntN(len(values.any))], Default: r.IntN(2) == 0,
		Version: text(r), Source: text(r), Metadata: anyMap(r)}
}

func trackingEvent(r *rand.Rand) exporter.TrackingEvent {
	return exporter.TrackingEvent{Kind: text(r), ContextKind: text(r), UserKey: text(r), CreationDate: r.Int64N(1 << 40),
		Key: text(r), EvaluationContext: anyMap(r), TrackingDetails: anyMap(r)}
}

// eachEvent calls test with random events of both types, and what a template sees of them.
func eachEvent(n int, test func(event exporter.ExportableEvent, data any)) {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same events every time
	for range n {
		feature, tracking := featureEvent(r), trackingEvent(r)
		test(feature, struct {
			exporter.FeatureEvent
			FormattedDate string
		}{feature, time.Unix(feature.CreationDate, 0).Format(time.RFC3339)})
		test(tracking, struct {
			exporter.TrackingEvent
			FormattedDate string
		}{tracking, time.Unix(tracking.CreationDate, 0).Format(time.RFC3339)})
	}
}

func appendJSON(dst []byte, event exporter.ExportableEvent) ([]byte, error) {
	if feature, ok := event.(exporter.FeatureEvent); ok {
		return feature.AppendJSON(dst)
	}
	return event.(exporter.TrackingEvent).AppendJSON(dst)
}

func appendCSV(dst []byte, event exporter.ExportableEvent, t *template.Template, quoted bool) ([]byte, error) {
	if feature, ok := event.(exporter.FeatureEvent); ok {
		return feature.AppendCSV(dst, t, quoted)
	}
	return event.(exporter.TrackingEvent).AppendCSV(dst, t, quoted)
}

// An event is the same line, and has the same error, as with encoding/json.
func TestFormatInJSON_IsWhatEncodingJSONWrites(t *testing.T) {
	failed := 0
	eachEvent(2000, func(event exporter.ExportableEvent, _ any) {
		want, wantErr := json.Marshal(event)
		got, err := event.FormatInJSON()
		appended, appendErr := appendJSON([]byte("before"), event)
		if wantErr != nil {
			failed++
			require.Error(t, err, "%#v", event)
			require.Error(t, appendErr)
			require.Equal(t, "before", string(appended))
			return
		}
		require.NoError(t, err)
		require.NoError(t, appendErr)
		require.Equal(t, string(want)+"\n", string(got))
		require.Equal(t, "before"+string(want)+"\n", string(appended))
	})
	assert.NotZero(t, failed, "events that cannot be encoded")
}

// A template makes the same of an event, and has the same error, as with text/template.
func TestFormatInCSV_IsWhatTheTemplateWrites(t *testing.T) {
	templates := []string{
		exporter.DefaultCsvTemplate, exporter.DefaultTrackingCsvTemplate,
		"{{.Kind}}{{.ContextKind}}{{.UserKey}}{{.CreationDate}}{{.FormattedDate}}{{.Key}}",
		"{{.Variation}}|{{.Value}}|{{.Default}}|{{.Version}}|{{.Source}}|{{.Metadata}}",
		"{{.EvaluationContext}}|{{.TrackingDetails}}", "text alone", "", "{{.Unknown}}", "{{.Kind}} {{.Unknown}}",
		"{{ printf \"%q\" .UserKey }}", "{{ .Value | print }}", "{{ $v := .Value }}{{ $v }}", "{{ if .Default }}d{{ end }}",
		"{{ .GetKey }}", "{{ .Metadata.flag }}", "{{/* note */}}{{ .Key }}", "{{- .Key -}} ;",
		"{{ with .Metadata }}{{ . }}{{ end }}",
	}
	compared := 0
	for _, source := range templates {
		parsed := template.Must(template.New("csv").Parse(source))
		eachEvent(100, func(event exporter.ExportableEvent, data any) {
			var want strings.Builder
			wantErr := parsed.Execute(&want, data)
			got, err := event.FormatInCSV(parsed)
			if wantErr != nil {
				require.EqualError(t, err, wantErr.Error(), "%s of %#v", source, event)
				return
			}
			compared++
			require.NoError(t, err)
			require.Equal(t, want.String(), string(got), "%s of %#v", source, event)
		})
	}
	assert.Greater(t, compared, 1000)

	_, err := exporter.FeatureEvent{}.FormatInCSV(template.New("no template"))
	assert.Error(t, err)
}

// Quoted fields are those that a line would break at. A line is what it was if there are none.
func TestAppendCSV_Quoted(t *testing.T) {
	parsed := exporter.ParseTemplate("csv", "", "{{ .UserKey}};{{ .Value}};{{ .Metadata}}\n")
	tests := []struct{ user, value, want string }{
		{"user", "value", "user;value;map[]\n"},
		{"a;b", "value", "\"a;b\";value;map[]\n"},
		{"user", "a\nb", "user;\"a\nb\";map[]\n"},
		{"a\rb", `say "hi"`, "\"a\rb\";\"say \"\"hi\"\"\";map[]\n"},
		{`"`, ";", "\"\"\"\";\";\";map[]\n"},
		{"comma, space ", "", "comma, space ;;map[]\n"},
	}
	for _, tt := range tests {
		event := exporter.FeatureEvent{UserKey: tt.user, Value: tt.value}
		line, err := event.AppendCSV(nil, parsed, true)
		require.NoError(t, err)
		assert.Equal(t, tt.want, string(line))
		line, err = event.AppendCSV(nil, parsed, false)
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprintf("%s;%s;map[]\n", tt.user, tt.value), string(line))
	}
}

// With a buffer that is large enough, an event takes no memory.
func TestAppend_DoesNotAllocate(t *testing.T) {
	byDefault := exporter.ParseTemplate("csv", "", exporter.DefaultCsvTemplate)
	event := exporter.FeatureEvent{Kind: "feature", ContextKind: "user", UserKey: "94a25909-20d8-40cc-8500-fee99b569345",
		CreationDate: 1680246000, Key: "flag", Variation: "on", Value: true, Version: "1", Source: "SERVER"}
	buffer := make([]byte, 0, 1024)
	assert.Zero(t, testing.AllocsPerRun(100, func() { buffer, _ = event.AppendJSON(buffer[:0]) }))
	assert.Zero(t, testing.AllocsPerRun(100, func() { buffer, _ = event.AppendCSV(buffer[:0], byDefault, true) }))
	assert.NotEmpty(t, buffer)
}
