package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// recordingExporter is a bulk exporter that notes when it was called.
type recordingExporter struct {
	calls []time.Time
}

func (e *recordingExporter) IsBulk() bool { return true }

func (e *recordingExporter) Export(context.Context, *fflog.FFLogger, []exporter.ExportableEvent) error {
	e.calls = append(e.calls, time.Now())
	return nil
}

func TestJitterComesBeforeTheExport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &recordingExporter{}
		var bound int64
		e := &scenarioExporter{Exporter: inner, jitter: 7 * time.Second, draw: func(n int64) int64 {
			bound = n
			return int64(3 * time.Second)
		}}
		start := time.Now()
		if err := e.Export(t.Context(), nil, nil); err != nil {
			t.Fatal(err)
		}
		if len(inner.calls) != 1 || inner.calls[0].Sub(start) != 3*time.Second {
			t.Errorf("exports at %v, want one after 3s", inner.calls)
		}
		if bound != int64(7*time.Second)+1 {
			t.Errorf("drawn from [0,%d), want 7s included", bound)
		}
	})
}

func TestEndOfContextCutsJitterShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &recordingExporter{}
		e := &scenarioExporter{Exporter: inner, jitter: time.Hour, draw: func(n int64) int64 { return n - 1 }}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if err := e.Export(ctx, nil, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the context's", err)
		}
		if waited := time.Since(start); waited != time.Second || len(inner.calls) != 0 {
			t.Errorf("waited %v and exported %d times", waited, len(inner.calls))
		}
	})
}

func TestExporterNames(t *testing.T) {
	for hung, want := range map[bool]string{false: "s3", true: "hung s3"} {
		if got := strings.Join(exporterNames(config{hungExporter: hung}), " "); got != want {
			t.Errorf("hung exporter %v: %s, want %s", hung, got, want)
		}
	}
}

func TestNonBulk(t *testing.T) {
	for _, tc := range []struct{ nonBulk, async, want bool }{{false, false, true}, {true, false, false}, {true, true, false}} {
		e, err := newExporter(config{nonBulk: tc.nonBulk, async: tc.async, bucket: "b"}, s3Exporter)
		if err != nil {
			t.Fatal(err)
		}
		if e.IsBulk() != tc.want {
			t.Errorf("%+v: IsBulk is %v", tc, e.IsBulk())
		}
	}
}
