package s3_test

import (
	"bytes"
	"strings"
	"testing"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/exporter/s3"
)

// Each format has its name, its type and its content; the words for them may be in either case.
func TestFormats(t *testing.T) {
	for _, test := range []struct {
		format, template string
		extension        string
		begins, ends     string
	}{
		{format: "JSON", extension: ".json", begins: `{"kind":"feature"`, ends: "}\n"},
		{format: "csv", extension: ".csv", begins: "feature;user;user-00000000;", ends: ";SERVER\n"},
		{format: "CSV", template: "{{ .UserKey}},{{ .Key}}\n", extension: ".csv", begins: "user-00000000,my-feature-flag\n", ends: "\n"},
		{format: "Parquet", extension: ".parquet", begins: "PAR1", ends: "PAR1"},
	} {
		t.Run(test.format+test.template, func(t *testing.T) {
			e := start(t)
			x := e.exporter(t, func(o *s3.Options) { o.Format, o.CsvTemplate = test.format, test.template })
			if err := x.Export(t.Context(), e.logger, events(0, 10)); err != nil {
				t.Fatal(err)
			}
			for key, o := range e.Objects() {
				if !strings.HasSuffix(key, test.extension) || o.Header.Get("Content-Type") == "" ||
					!bytes.HasPrefix(o.Body, []byte(test.begins)) || !bytes.HasSuffix(o.Body, []byte(test.ends)) {
					t.Errorf("%s, %s: %.100q…", key, o.Header.Get("Content-Type"), o.Body)
				}
			}
			if s := x.Stats(); s.Events != 10 || s.Refused != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// Tracking events leave in each format, too.
func TestFormatsOfTrackingEvents(t *testing.T) {
	for _, format := range []string{"json", "csv", "parquet"} {
		e := start(t)
		x := e.exporter(t, func(o *s3.Options) { o.Format = format })
		batch := []ffexporter.ExportableEvent{ffexporter.TrackingEvent{Kind: "tracking", UserKey: "ada", Key: "clicked"}}
		if err := x.Export(t.Context(), e.logger, batch); err != nil {
			t.Fatal(err)
		}
		for _, o := range e.Objects() {
			if !bytes.Contains(o.Body, []byte("clicked")) {
				t.Errorf("%s: %q", format, o.Body)
			}
		}
		if s := x.Stats(); s.Events != 1 || s.Refused != 0 {
			t.Errorf("%s: %+v, %s", format, s, e.logs)
		}
	}
}
