package encode_test

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"
	"text/template"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"pgregory.net/rapid"

	"github.com/offlock/offlock/exporter/encode"
)

func newCSV(t interface{ Fatal(...any) }, o encode.CSVOptions) *encode.CSV {
	c, err := encode.NewCSV(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const all = "{{ .Kind}};{{ .ContextKind }};{{.UserKey}};{{ .CreationDate}};{{ .Key}};{{ .Variation}};{{ .Value}};{{ .Default}};{{ .Version}};" +
	"{{ .Source}};{{ .FormattedDate}}\n"

// own are templates as users write them. Not all are for both kinds of event.
var own = []string{
	all,
	"{{ .Kind}}",
	"{{ .Kind}}{{ .Key}}\n",
	"  {{- .UserKey -}}  ,{{ .FormattedDate }}\r\n",
	"no field at all\n",
	"{{/* nothing */}}{{ .Key }}\n",
	"{{ .Value }}|{{ .Metadata }}\n",
	"{{ .EvaluationContext }};{{ .TrackingDetails }}\n",
	"{{ .GetUserKey }};{{ .GetKey }};{{ $.Key }};{{ .FormattedDate | printf \"%q\" }}\n",
	"{{ if .Default }}failed{{ else }}{{ .Value }}{{ end }};{{ with .Metadata }}{{ .region }}{{ end }}\n",
	"{{ range $k, $v := .TrackingDetails }}{{ $k }}={{ $v }};{{ end }}\n",
	"{{ $d := .Default }}{{ $d }};{{ block \"key\" . }}{{ .Key }}{{ end }}\n",
	"{{ .FeatureEvent.Key }}\n",
	"{{ .TrackingEvent.Key }}\n",
	"{{ len .Key }};{{ index .Kind 100 }}\n",
}

// TestOwnTemplatesMakeTheLibrarysLines compares with FormatInCSV, its errors included.
func TestOwnTemplatesMakeTheLibrarysLines(t *testing.T) {
	for _, text := range own {
		t.Run(text, func(t *testing.T) {
			library := template.Must(template.New("csvFormat").Parse(text))
			c := newCSV(t, encode.CSVOptions{Template: text})
			rapid.Check(t, func(t *rapid.T) {
				e := event().Draw(t, "event")
				want, wantErr := e.FormatInCSV(library)
				got, err := c.Append([]byte("before "), e)
				_, tracking := e.(ffexporter.TrackingEvent)
				if _, pointer := e.(*ffexporter.TrackingEvent); wantErr != nil && (tracking || pointer) {
					// This is where the default for tracking events steps in.
					return
				}
				if wantErr != nil {
					if err == nil || string(got) != "before " {
						t.Fatalf("%q, %v; the library: %v", got, err, wantErr)
					}
					return
				}
				if err != nil || string(got) != "before "+string(want) {
					t.Fatalf("%v\n got %q\nwant %q after %q", err, got, want, "before ")
				}
			})
		})
	}
}

// read is what a reader of RFC 4180 sees in a line.
func read(t interface{ Fatalf(string, ...any) }, line []byte, comma rune) []string {
	r := csv.NewReader(strings.NewReader(string(line)))
	r.Comma = comma
	fields, err := r.Read()
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	if extra, err := r.Read(); err != io.EOF {
		t.Fatalf("%q is more than one row: %q, %v", line, extra, err)
	}
	return fields
}

// printed is what the library's template prints for each of the fields. Readers
// take an end of line inside quotes for a newline.
func printed(t interface{ Fatalf(string, ...any) }, e ffexporter.ExportableEvent, fields ...string) (texts []string, ok bool) {
	for _, f := range fields {
		text, err := e.FormatInCSV(template.Must(template.New("").Parse("{{ ." + f + "}}")))
		if err != nil {
			return nil, false
		}
		texts = append(texts, strings.ReplaceAll(string(text), "\r\n", "\n"))
	}
	return texts, true
}

func equal(a, b []string) bool { return strings.Join(a, "\x00|") == strings.Join(b, "\x00|") }

func TestDefaultLinesAreRows(t *testing.T) {
	c := newCSV(t, encode.CSVOptions{})
	rapid.Check(t, func(t *rapid.T) {
		e := feature().Draw(t, "event")
		want, ok := printed(t, e, "Kind", "ContextKind", "UserKey", "CreationDate", "Key", "Variation", "Value", "Default", "Source")
		line, err := c.Append(nil, e)
		if ok != (err == nil) {
			t.Fatalf("%q, %v; the library prints it: %v", line, err, ok)
		}
		if ok && !equal(read(t, line, ';'), want) {
			t.Fatalf("%q is read as %q, want %q", line, read(t, line, ';'), want)
		}
	})
}

func TestDefaultLineIsTheLibrarysWhereNothingNeedsQuotes(t *testing.T) {
	c := newCSV(t, encode.CSVOptions{})
	library := ffexporter.ParseTemplate("csvFormat", "", ffexporter.DefaultCsvTemplate)
	plain := rapid.StringMatching(`[ -!#-:<-~é]{0,20}`)
	rapid.Check(t, func(t *rapid.T) {
		e := ffexporter.FeatureEvent{
			Kind: plain.Draw(t, "kind"), ContextKind: plain.Draw(t, "context"), UserKey: plain.Draw(t, "user"), CreationDate: date().Draw(t, "date"),
			Key: plain.Draw(t, "key"), Variation: plain.Draw(t, "variation"), Default: rapid.Bool().Draw(t, "default"), Source: plain.Draw(t, "source"),
			Value: rapid.OneOf(rapid.Just[any](nil), rapid.Map(plain, boxed), rapid.Map(rapid.Float64(), boxed), rapid.Map(rapid.Int(), boxed),
				rapid.Map(rapid.MapOf(plain, rapid.Map(plain, boxed)), boxed), rapid.Map(rapid.SliceOf(rapid.Map(plain, boxed)), boxed)).Draw(t, "value"),
		}
		want, err := e.FormatInCSV(library)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.Append(nil, e); err != nil || string(got) != string(want) {
			t.Fatalf("%q, %v; the library: %q", got, err, want)
		}
	})
}

// TestQuotingIsTheSameOnBothPaths adds to a template what keeps it off the fast path.
func TestQuotingIsTheSameOnBothPaths(t *testing.T) {
	for _, text := range []string{
		all,
		"\"{{ .UserKey}}\",\"{{ .Value}}\",{{ .Key}}\n",
		"{{ .Key}}\t{{ .Value}}\t{{ .FormattedDate}}\n",
		"{{ .Value}}",
		"{{ json .Value}};{{ json .Metadata}}\n",
	} {
		t.Run(text, func(t *testing.T) {
			fast := newCSV(t, encode.CSVOptions{Template: text, Quote: true})
			slow := newCSV(t, encode.CSVOptions{Template: "{{ if false }}{{ end }}" + text, Quote: true})
			rapid.Check(t, func(t *rapid.T) {
				e := feature().Draw(t, "event")
				got, err := fast.Append(nil, e)
				want, wantErr := slow.Append(nil, e)
				if (err == nil) != (wantErr == nil) || string(got) != string(want) {
					t.Fatalf("%q, %v\nthe template: %q, %v", got, err, want, wantErr)
				}
			})
		})
	}
}

func TestQuotedOwnTemplates(t *testing.T) {
	e := ffexporter.FeatureEvent{
		Kind: "feature", UserKey: "a;b,c", Key: "say \"hi\"", Variation: "two\r\nlines", Value: []any{"x;y"}, Metadata: map[string]any{"k": "tab\there"},
	}
	for _, c := range []struct {
		template string
		comma    rune
		want     []string
	}{
		{"{{ .UserKey}};{{ .Key}};{{ .Variation}};{{ .Value}}\n", ';', []string{"a;b,c", "say \"hi\"", "two\nlines", "[x;y]"}},
		{"{{ .UserKey}},{{ .Key}}\n", ',', []string{"a;b,c", "say \"hi\""}},
		{"\"{{ .UserKey}}\",\"{{ .Key}}\",\"{{ .Variation}}\"\n", ',', []string{"a;b,c", "say \"hi\"", "two\nlines"}},
		{"{{ .Kind}}\t{{ .Metadata}}\n", '\t', []string{"feature", "map[k:tab\there]"}},
		{"{{ if .Key}}{{ .Key}}{{ end}};{{ with .Metadata}}{{ .k}}{{ end}};{{ range .Value}}{{ .}}{{ end}}\n", ';',
			[]string{"say \"hi\"", "tab\there", "x;y"}},
		{"{{ .Key | printf \"%s!\"}};{{ define \"u\"}}{{ .UserKey}};{{ end}}{{ template \"u\" .}}{{ $k := .Kind}}{{ $k}}\n", ';',
			[]string{"say \"hi\"!", "a;b,c", "feature"}},
		{"{{ json .Value}};{{ .Metadata | json}}\n", ';', []string{`["x;y"]`, `{"k":"tab\there"}`}},
	} {
		line, err := newCSV(t, encode.CSVOptions{Template: c.template, Quote: true}).Append(nil, e)
		if err != nil {
			t.Errorf("%q: %v", c.template, err)
		} else if got := read(t, line, c.comma); !equal(got, c.want) {
			t.Errorf("%q: %q is read as %q, want %q", c.template, line, got, c.want)
		}
	}
}

func TestTrackingLines(t *testing.T) {
	e := ffexporter.TrackingEvent{
		Kind: "tracking", ContextKind: "user", UserKey: "a;b", CreationDate: 7, Key: "checkout",
		EvaluationContext: map[string]any{"admin": false}, TrackingDetails: map[string]any{"value": 1.5, "currency": "USD"},
	}
	const byDefault = "tracking;user;\"a;b\";7;checkout;\"{\"\"admin\"\":false}\";\"{\"\"currency\"\":\"\"USD\"\",\"\"value\"\":1.5}\"\n"
	for _, c := range []struct {
		options encode.CSVOptions
		want    string
	}{
		{encode.CSVOptions{}, byDefault},
		{encode.CSVOptions{TrackingTemplate: encode.DefaultTrackingCSVTemplate}, byDefault},
		{encode.CSVOptions{Template: ffexporter.DefaultCsvTemplate}, byDefault},
		{encode.CSVOptions{Template: "{{ .Key}};{{ .Value}}\n"}, byDefault},
		{encode.CSVOptions{Template: "{{ if .Default}}{{ .Key}}{{ end}}\n"}, byDefault},
		{encode.CSVOptions{Template: "{{ .UserKey}};{{ .TrackingDetails}}\n"}, "a;b;map[currency:USD value:1.5]\n"},
		{encode.CSVOptions{Template: "{{ with .TrackingDetails}}{{ .currency}}{{ end}}\n"}, "USD\n"},
		{encode.CSVOptions{Template: "{{ .Value}}\n", TrackingTemplate: "{{ .UserKey}}\n"}, "a;b\n"},
		{encode.CSVOptions{Template: "{{ .Value}}\n", TrackingTemplate: "{{ .UserKey}};\n", Quote: true}, "\"a;b\";\n"},
	} {
		if got, err := newCSV(t, c.options).Append(nil, &e); err != nil || string(got) != c.want {
			t.Errorf("%+v: %q, %v, want %q", c.options, got, err, c.want)
		}
	}
	// The library's default says of such an event that it has no Variation.
	if _, err := e.FormatInCSV(ffexporter.ParseTemplate("", "", ffexporter.DefaultCsvTemplate)); err == nil {
		t.Error("the library's template works: then this package's is not needed")
	}
}

func TestBrokenTemplates(t *testing.T) {
	for _, o := range []encode.CSVOptions{
		{Template: "{{ .Kind"},
		{Template: "{{ .Kind | upper }}"},
		{Template: "{{ .Knid }}"},
		{Template: "{{ $.Knid }}"},
		{Template: "{{ if .Default }}{{ .Knid }}{{ end }}"},
		{Template: "{{ .Value }}{{ .TrackingDetails }}"},
		{Template: "{{ .TrackingDetails }}", TrackingTemplate: "{{ .Key }}"},
		{TrackingTemplate: "{{ end }}"},
		{Template: "{{ define \"x\" }}{{ .Key }}{{ end }}"},
		{TrackingTemplate: "{{ .Value }}"},
		{TrackingTemplate: ffexporter.DefaultCsvTemplate},
	} {
		if _, err := encode.NewCSV(o); !errors.Is(err, encode.ErrCSVOption) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestCyclesAreNotPrinted is about the end of the program: fmt follows a cycle until its stack is full.
func TestCyclesAreNotPrinted(t *testing.T) {
	cycle := map[string]any{}
	cycle["list"] = []any{1, struct{ Inner any }{cycle}}
	inside := &pair{A: cycle}
	type loop *loop
	var endless loop
	endless = &endless
	deep := any("bottom")
	for range 900 {
		deep = []any{deep}
	}
	for _, text := range []string{"", "{{ .Value}} {{ .Metadata}}\n", "{{ if .Value}}{{ .Value}}{{ .Metadata}}{{ end}}\n"} {
		c := newCSV(t, encode.CSVOptions{Template: text})
		for _, v := range []any{cycle, inside, &inside, []any{cycle}, endless} {
			if out, err := c.Append(nil, ffexporter.FeatureEvent{Value: v}); !errors.Is(err, encode.ErrTooDeep) || len(out) > 0 {
				t.Errorf("%q of a cycle in a %T: %q, %v", text, v, out, err)
			}
		}
		if _, err := c.Append(nil, ffexporter.FeatureEvent{Value: deep}); err != nil {
			t.Errorf("%q of a deep value: %v", text, err)
		}
	}
	c := newCSV(t, encode.CSVOptions{Template: "{{ .TrackingDetails}}\n"})
	if _, err := c.Append(nil, ffexporter.TrackingEvent{TrackingDetails: cycle}); !errors.Is(err, encode.ErrTooDeep) {
		t.Error(err)
	}
	c = newCSV(t, encode.CSVOptions{})
	if _, err := c.Append(nil, ffexporter.TrackingEvent{TrackingDetails: cycle}); err == nil {
		t.Error("a cycle has a JSON form")
	}
}

func FuzzCSV(f *testing.F) {
	f.Add("feature", "user;1", "fl\"ag", "on\r\n", int64(1680246000), 1.5)
	f.Add("", "\"", ";", "\n", int64(-62135596801), 1e21)
	f.Add("é", "\xff", "a\rb", " ", int64(1<<60), 1e-9)
	quoted := newCSV(f, encode.CSVOptions{})
	plain := newCSV(f, encode.CSVOptions{Template: all})
	library := template.Must(template.New("").Parse(all))
	f.Fuzz(func(t *testing.T, kind, user, key, variation string, date int64, number float64) {
		for _, v := range []any{number, variation, date, map[string]any{key: number}, []any{user, nil}} {
			e := ffexporter.FeatureEvent{Kind: kind, UserKey: user, Key: key, Variation: variation, CreationDate: date, Value: v, Source: user}
			want, err := e.FormatInCSV(library)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := plain.Append(nil, e); err != nil || string(got) != string(want) {
				t.Fatalf("%q, %v; the library: %q", got, err, want)
			}
			line, err := quoted.Append(nil, e)
			if err != nil {
				t.Fatal(err)
			}
			fields, _ := printed(t, e, "Kind", "ContextKind", "UserKey", "CreationDate", "Key", "Variation", "Value", "Default", "Source")
			if got := read(t, line, ';'); !equal(got, fields) {
				t.Fatalf("%q is read as %q, want %q", line, got, fields)
			}
		}
	})
}
