package spool

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/exporter"
)

// sampleEvents are like those of a service.
func sampleEvents(n int) []ffexporter.ExportableEvent {
	events := make([]ffexporter.ExportableEvent, n)
	for i := range events {
		events[i] = ffexporter.FeatureEvent{
			Kind: "feature", ContextKind: "user", UserKey: fmt.Sprintf("94a25909-20d8-40cc-8500-%012d", i), CreationDate: 1680246000,
			Key: "new-checkout", Variation: "enabled", Value: true, Version: "1.0.0", Source: "SERVER",
			Metadata: map[string]any{"environment": "production"},
		}
	}
	return events
}

// BenchmarkExport is a batch on its way to disk, with the sink down; json is what encoding the same batch by the library costs.
func BenchmarkExport(b *testing.B) {
	for _, n := range []int{1, 100, 10_000} {
		events := sampleEvents(n)
		for _, sync := range []bool{false, true} {
			b.Run(fmt.Sprintf("events=%d/sync=%v", n, sync), func(b *testing.B) {
				s, err := New(&fakeSink{do: down}, Options{
					Dir: filepath.Join(b.TempDir(), "spool"), After: -1, NoSync: !sync, MaxBytes: 64 << 20, BackoffBase: time.Hour, BackoffCap: time.Hour,
				})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					if err := s.Export(context.Background(), nil, events); err != nil {
						b.Fatal(err)
					}
				}
				b.StopTimer()
				_ = s.Stop(context.Background())
			})
		}
		b.Run(fmt.Sprintf("events=%d/json", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, event := range events {
					if _, err := event.FormatInJSON(); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkDecode is reading a batch again, without the disk.
func BenchmarkDecode(b *testing.B) {
	payload, err := appendBatch(nil, exporter.Batch{}, sampleEvents(10_000))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := decodeBatch(payload); err != nil {
			b.Fatal(err)
		}
	}
}
