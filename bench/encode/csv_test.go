package encode

import (
	"bytes"
	stdcsv "encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/exporter/encode"
)

// csvWays make the library's default line of a feature event. The last two write it without quotes: what the same template
// costs as one's own, and what it costs when something in it keeps it from the fast path.
var csvWays = []struct {
	name string
	make func(testing.TB) line
}{
	{"library", libraryCSV},
	{"encoding-csv", func(testing.TB) line { return encodingCSV() }},
	{"offlock", func(tb testing.TB) line { return offlockCSV(tb, "") }},
	{"offlock-own", func(tb testing.TB) line {
		return offlockCSV(tb, strings.ReplaceAll(exporter.DefaultCsvTemplate, "{{ ", "{{"))
	}},
	{"offlock-run", func(tb testing.TB) line { return offlockCSV(tb, exporter.DefaultCsvTemplate+"{{if false}}{{end}}") }},
}

func libraryCSV(testing.TB) line {
	template := exporter.ParseTemplate("csvFormat", "", exporter.DefaultCsvTemplate)
	return func(dst []byte, e exporter.ExportableEvent) ([]byte, error) {
		b, err := e.FormatInCSV(template)
		return append(dst, b...), err
	}
}

// encodingCSV writes rows without any template.
func encodingCSV() line {
	var out output
	w := stdcsv.NewWriter(&out)
	w.Comma = ';'
	row := make([]string, 9)
	return func(dst []byte, event exporter.ExportableEvent) ([]byte, error) {
		e := event.(exporter.FeatureEvent)
		out = dst
		row[0], row[1], row[2], row[3], row[4] = e.Kind, e.ContextKind, e.UserKey, strconv.FormatInt(e.CreationDate, 10), e.Key
		row[5], row[6], row[7], row[8] = e.Variation, fmt.Sprint(e.Value), strconv.FormatBool(e.Default), e.Source
		if err := w.Write(row); err != nil {
			return out, err
		}
		w.Flush()
		return out, w.Error()
	}
}

func offlockCSV(tb testing.TB, template string) line {
	c, err := encode.NewCSV(encode.CSVOptions{Template: template})
	if err != nil {
		tb.Fatal(err)
	}
	return c.Append
}

func TestWaysWriteTheSameCSV(t *testing.T) {
	for _, e := range events {
		if _, ok := e.event.(exporter.FeatureEvent); !ok || e.name == "escaped" { // its quotes
			continue
		}
		want, err := libraryCSV(t)(nil, e.event)
		if err != nil {
			t.Fatal(err)
		}
		for _, way := range csvWays {
			if got, err := way.make(t)(nil, e.event); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %q, %v; the library: %q", way.name, got, err, want)
			}
		}
	}
}

func BenchmarkCSV(b *testing.B) {
	for _, e := range events {
		if _, ok := e.event.(exporter.FeatureEvent); !ok {
			continue
		}
		for _, way := range csvWays {
			b.Run(fmt.Sprintf("event=%s/way=%s", e.name, way.name), func(b *testing.B) { fill(b, e.event, way.make(b)) })
		}
	}
}

// BenchmarkCSVBatch is BenchmarkJSONBatch for the default line.
func BenchmarkCSVBatch(b *testing.B) {
	c, err := encode.NewCSV(encode.CSVOptions{})
	if err != nil {
		b.Fatal(err)
	}
	batch(b, c)
}
