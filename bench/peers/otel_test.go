package peers

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/offlock/offlock/bench/internal/measure"
)

// otelLog is the batch processor of the log SDK. A record with five attributes needs no allocation, and is about as large as
// an event.
func otelLog(tb testing.TB) measure.Queue {
	out := &logCounter{}
	processor := sdklog.NewBatchProcessor(out, sdklog.WithMaxQueueSize(room), sdklog.WithExportInterval(time.Hour))
	tb.Cleanup(func() { shutDown(tb, processor.Shutdown) })
	record := newRecord(tb)
	ctx := context.Background()
	return measure.Queue{
		Add: func(_ measure.Event, n int) {
			for range n {
				_ = processor.OnEmit(ctx, record) // always nil
			}
		},
		Drain: func() int {
			shutDown(tb, processor.ForceFlush)
			return int(out.n.Swap(0))
		},
	}
}

// newRecord makes a record as the SDK does, limits included.
func newRecord(tb testing.TB) *sdklog.Record {
	kept := &keeper{}
	provider := sdklog.NewLoggerProvider(sdklog.WithProcessor(kept))
	tb.Cleanup(func() { shutDown(tb, provider.Shutdown) })
	event := measure.NewEvent()
	var record log.Record
	record.SetEventName(event.Kind)
	record.SetTimestamp(time.Unix(event.CreationDate, 0))
	record.AddAttributes(
		attribute.String("userKey", event.UserKey), attribute.String("key", event.Key), attribute.String("variation", event.Variation),
		attribute.Bool("value", true), attribute.String("version", event.Version),
	)
	provider.Logger("bench").Emit(context.Background(), record)
	if kept.record.AttributesLen() != 5 {
		tb.Fatalf("the record has %d attributes instead of 5", kept.record.AttributesLen())
	}
	return &kept.record
}

// keeper is a processor that keeps the last record.
type keeper struct{ record sdklog.Record }

func (k *keeper) Enabled(context.Context, sdklog.EnabledParameters) bool { return true }

func (k *keeper) OnEmit(_ context.Context, r *sdklog.Record) error {
	k.record = r.Clone()
	return nil
}

func (k *keeper) Shutdown(context.Context) error   { return nil }
func (k *keeper) ForceFlush(context.Context) error { return nil }

// logCounter is an exporter that takes no time.
type logCounter struct{ n atomic.Int64 }

func (c *logCounter) Export(_ context.Context, records []sdklog.Record) error {
	c.n.Add(int64(len(records)))
	return nil
}

func (c *logCounter) Shutdown(context.Context) error   { return nil }
func (c *logCounter) ForceFlush(context.Context) error { return nil }

// otelSpan is the batch processor of the trace SDK. Only a pointer to a span that is ready is handed over.
func otelSpan(tb testing.TB) measure.Queue {
	out := &spanCounter{}
	processor := sdktrace.NewBatchSpanProcessor(out, sdktrace.WithMaxQueueSize(room), sdktrace.WithBatchTimeout(time.Hour))
	tb.Cleanup(func() { shutDown(tb, processor.Shutdown) })
	span := tracetest.SpanStub{SpanContext: trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}, TraceFlags: trace.FlagsSampled,
	})}.Snapshot()
	return measure.Queue{
		Add: func(_ measure.Event, n int) {
			for range n {
				processor.OnEnd(span)
			}
		},
		Drain: func() int {
			shutDown(tb, processor.ForceFlush)
			return int(out.n.Swap(0))
		},
	}
}

// spanCounter is an exporter that takes no time.
type spanCounter struct{ n atomic.Int64 }

func (c *spanCounter) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	c.n.Add(int64(len(spans)))
	return nil
}

func (c *spanCounter) Shutdown(context.Context) error { return nil }

// shutDown ends something, or empties it, which must not fail.
func shutDown(tb testing.TB, end func(context.Context) error) {
	tb.Helper()
	if err := end(context.Background()); err != nil {
		tb.Fatal(err)
	}
}
