package exporter_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"

	"github.com/offlock/offlock/exporter"
)

// keeper is an inner exporter whose sink stalls. It keeps the batches of a process that goes down, as a spool does.
type keeper struct {
	bulk
	attempts []exporter.Batch
	kept     []int
	stopped  bool
}

func (k *keeper) Export(ctx context.Context, _ *fflog.FFLogger, events []ffexporter.ExportableEvent) error {
	batch, _ := exporter.BatchFrom(ctx)
	k.attempts = append(k.attempts, batch)
	if batch.Stopping {
		k.kept = append(k.kept, numbers(events)...)
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func (k *keeper) Stop(context.Context) error {
	k.stopped = true
	return nil
}

// A call that began before Stop is ended when half of the time is over, and made again: what waits is kept by an exporter
// that can. One that cannot be stopped is left alone until the end.
func TestAsyncStopHurriesTheCallBeforeIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &keeper{}
		a := newAsync(t, k, exporter.AsyncOptions{})
		for i := range 3 {
			hand(t, a, 10*i, 10)
		}
		synctest.Wait() // the first batch is stuck
		began := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := a.Stop(ctx); err != nil {
			t.Errorf("Stop: %v", err)
		}
		if took := time.Since(began); took < 4*time.Second || took > 6*time.Second {
			t.Errorf("Stop took %v, want about half of its time", took)
		}
		var want []int
		for i := range 30 {
			want = append(want, i)
		}
		if diff := cmp.Diff(want, k.kept); diff != "" {
			t.Errorf("kept (-want +got):\n%s", diff)
		}
		if !k.stopped || k.attempts[1].Attempt != 2 || k.attempts[1].First != k.attempts[0].First {
			t.Errorf("stopped %v, attempts %+v: want the first batch again", k.stopped, k.attempts)
		}
		if s := a.Stats(); s.Events.Handled != 30 || s.Failures != 1 || s.Calls != 4 {
			t.Errorf("%+v", s)
		}
	})
}
