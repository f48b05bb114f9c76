//go:build ignore

package fileexporter_test

import (
	"context"
	"testing"

	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/exporter/fileexporter"
)

func benchmarkEvent() exporter.FeatureEvent {
	return exporter.FeatureEvent{
		Kind: "feature", ContextKind: "user", UserKey: "94a25909-20d8-40cc-8500-fee99b569345", CreationDate: 1680246000,
		Key: "my-feature-flag", Variation: "admin-variation", Value: "string", Version: "v1.0.0", Source: "SERVER",
		Metadata: map[string]any{"environment": "production", "pod": "a"},
	}
}

// What an event costs, as a line of its own.
func BenchmarkFormat(b *testing.B) {
	event := benchmarkEvent()
	byDefault := exporter.ParseTemplate("csv", "", exporter.DefaultCsvTemplate)
	b.Run("format=json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = event.FormatInJSON()
		}
	})
	b.Run("format=csv", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = event.FormatInCSV(byDefault)
		}
	})
}

// What a batch of 10,000 events costs, written to the end of a file.
func BenchmarkExport(b *testing.B) {
	events := make([]exporter.ExportableEvent, 10_000)
	for i := range events {
		events[i] = benchmarkEvent()
	}
	for _, format := range []string{"json", "csv", "parquet"} {
		b.Run("format="+format, func(b *testing.B) {
			f := &fileexporter.Exporter{Format: format, OutputDir: b.TempDir(), Filename: "events"}
			b.ReportAllocs()
			for b.Loop() {
				if err := f.Export(context.Background(), nil, events); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
