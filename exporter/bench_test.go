package exporter_test

import (
	"context"
	"fmt"
	"testing"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"

	"github.com/offlock/offlock/exporter"
)

// discard is an inner exporter that takes everything in no time.
func discard(context.Context, *fflog.FFLogger, []ffexporter.ExportableEvent) error { return nil }

// BenchmarkAsyncExport is what the caller of Export waits for: of an exporter that takes no time at all; of an Async over it;
// of an Async whose inner exporter is stuck, so that each batch drops an older one; and of one whose inner exporter is not
// bulk.
func BenchmarkAsyncExport(b *testing.B) {
	for _, events := range []int{1, 100, 10_000} {
		batch := numbered(0, events)
		run := func(name string, inner ffexporter.Exporter) {
			b.Run(fmt.Sprintf("events=%d/to=%s", events, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := inner.Export(context.Background(), nil, batch); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		stop := func(a *exporter.Async) {
			if err := a.Stop(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
		run("inner", funcSink(discard))
		a := newAsync(b, funcSink(discard), exporter.AsyncOptions{})
		run("async", a)
		stop(a)

		release := make(chan struct{})
		a = newAsync(b, funcSink(func(context.Context, *fflog.FFLogger, []ffexporter.ExportableEvent) error {
			<-release
			return nil
		}), exporter.AsyncOptions{})
		run("stuck", a)
		close(release)
		stop(a)
	}
}
