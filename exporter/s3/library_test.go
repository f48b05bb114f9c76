package s3_test

import (
	"context"
	"testing"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/exporter"
	"github.com/offlock/offlock/exporter/s3"
)

// The library flushes ten times within a second, with a template that says no more than the second: by itself and under Async,
// every event is stored once. (With the library's own exporter one object is left, and 900 of 1000 events are lost.)
func TestLibraryFlushesWithinOneSecond(t *testing.T) {
	const batches, each = 10, 100
	for _, name := range []string{"plain", "async"} {
		t.Run(name, func(t *testing.T) {
			e := start(t)
			x := e.exporter(t, func(o *s3.Options) { o.Filename = "{{ .Hostname}}-{{ .Timestamp}}.{{ .Format}}" })
			var (
				inner ffexporter.CommonExporter = x
				stop                            = func() {}
			)
			if name == "async" {
				async, err := exporter.NewAsync(x, exporter.AsyncOptions{})
				if err != nil {
					t.Fatal(err)
				}
				inner = async
				stop = func() {
					if err := async.Stop(context.Background()); err != nil {
						t.Error(err)
					}
				}
			}
			m := ffexporter.NewManager[ffexporter.FeatureEvent](
				[]ffexporter.Config{{Exporter: inner, FlushInterval: time.Hour, MaxEventInMemory: each}}, time.Hour, e.logger)
			m.Start()
			for _, event := range events(0, batches*each) {
				m.AddEvent(event.(ffexporter.FeatureEvent))
			}
			m.Stop()
			stop()
			once(t, users(t, e.Objects()), batches*each)
			if n := len(e.Objects()); name == "plain" && n != batches {
				t.Errorf("%d objects, want %d", n, batches)
			}
		})
	}
}
