//go:build unix

package parquet_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/offlock/offlock/exporter/encode"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/exporter/fileexporter"
)

const events = 100_000

// features are evaluations of 40 flags by 5,000 users within an hour, with the
// metadata that the library's providers send.
func features() []ffexporter.ExportableEvent {
	values := []any{true, false, "blue", "green", 12.5, map[string]any{"title": "Welcome", "limit": 20.0}}
	out := make([]ffexporter.ExportableEvent, events)
	for i := range out {
		flag := i * 31 % 40
		out[i] = ffexporter.FeatureEvent{
			Kind:         "feature",
			ContextKind:  "user",
			UserKey:      fmt.Sprintf("94a25909-20d8-40cc-8500-%012d", i*7919%5000),
			CreationDate: 1_700_000_000 + int64(i)*3600/events,
			Key:          fmt.Sprintf("checkout-flag-%02d", flag),
			Variation:    fmt.Sprintf("variation-%d", flag%len(values)),
			Value:        values[flag%len(values)],
			Version:      "v1.4.2",
			Source:       "SERVER",
			Metadata:     map[string]any{"provider": "go", "openfeature": "true"},
		}
	}
	return out
}

// trackings are purchases: an evaluation context and details of three strings
// each, so that the library writes what it was given.
func trackings() []ffexporter.ExportableEvent {
	out := make([]ffexporter.ExportableEvent, events)
	for i := range out {
		user := fmt.Sprintf("94a25909-20d8-40cc-8500-%012d", i*7919%5000)
		out[i] = ffexporter.TrackingEvent{
			Kind:              "tracking",
			ContextKind:       "user",
			UserKey:           user,
			CreationDate:      1_700_000_000 + int64(i)*3600/events,
			Key:               fmt.Sprintf("purchase-%d", i%12),
			EvaluationContext: map[string]any{"targetingKey": user, "country": "FR", "plan": "pro"},
			TrackingDetails:   map[string]any{"currency": "EUR", "amount": fmt.Sprint(i % 997), "shop": "web"},
		}
	}
	return out
}

func BenchmarkParquet(b *testing.B) {
	for _, batch := range []struct {
		name   string
		events []ffexporter.ExportableEvent
	}{{"feature", features()}, {"tracking", trackings()}} {
		b.Run("events="+batch.name+"/by=library", func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "events.parquet")
			e := &fileexporter.Exporter{Format: "parquet", OutputDir: filepath.Dir(file), Filename: filepath.Base(file)}
			b.ReportAllocs()
			began := cpuTime()
			for b.Loop() {
				if err := e.Export(context.Background(), nil, batch.events); err != nil {
					b.Fatal(err)
				}
			}
			report(b, file, cpuTime()-began)
		})
		b.Run("events="+batch.name+"/by=encode", func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "events.parquet")
			p, err := encode.NewParquet(encode.ParquetOptions{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			began := cpuTime()
			for b.Loop() {
				f, err := os.Create(file)
				if err != nil {
					b.Fatal(err)
				}
				write(b, p, f, batch.events)
				if err := f.Close(); err != nil {
					b.Fatal(err)
				}
			}
			report(b, file, cpuTime()-began)
		})
	}
}

func write(b *testing.B, p *encode.Parquet, w io.Writer, batch []ffexporter.ExportableEvent) {
	if refused, err := p.Encode(w, batch); err != nil || len(refused) > 0 {
		b.Fatal(err, len(refused))
	}
}

func report(b *testing.B, file string, cpu time.Duration) {
	info, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/events, "file-B/event")
	b.ReportMetric(float64(cpu)/float64(b.N)/events, "cpu-ns/event")
}
