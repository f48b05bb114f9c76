package spool

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/offlock/offlock/exporter"
)

// Async over Spool over a sink that is down, well, and down again when the process ends: every batch arrives once, in order, under
// the name that Async gave it, some from this process and the rest from the next.
func TestUnderAsync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &fakeSink{}
		disk := open(t, sink, Options{After: 5 * time.Second})
		async, err := exporter.NewAsync(disk, exporter.AsyncOptions{Instance: "async", BackoffCap: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		number := int64(0)
		hand := func(batches int) {
			for range batches {
				if err := async.Export(context.Background(), nil, numbered(number, 3)); err != nil {
					t.Error(err)
				}
				number += 3
				time.Sleep(time.Second)
			}
		}
		hand(5)
		sink.set(down)
		hand(60)
		if now := disk.Stats(); now.Files < 50 || now.Direct != 5 {
			t.Errorf("in the outage: %+v", now)
		}
		sink.set(nil)
		hand(60)
		if now := disk.Stats(); now.Files != 0 {
			t.Errorf("after the outage: %+v", now)
		}
		sink.set(down)
		hand(2)
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := async.Stop(ctx); err != nil { // stops the spool, too
			t.Error(err)
		}
		if now := disk.Stats(); now.Left != 2 || sink.stops != 1 {
			t.Errorf("%+v, the sink was stopped %d times", now, sink.stops)
		}
		next := &fakeSink{}
		open(t, next, Options{Dir: disk.options.Dir}).Start()
		synctest.Wait()
		var want []int64
		for first := int64(0); first < number; first += 3 {
			want = append(want, first)
		}
		if diff := cmp.Diff(want, append(sink.tookFirsts(), next.tookFirsts()...)); diff != "" {
			t.Error(diff)
		}
		for _, b := range append(sink.taken, next.taken...) {
			if b.Instance != "async" || b.Last != b.First+2 || b.Began.Second() != int(time.Unix(b.First/3, 0).Second()) {
				t.Errorf("a batch arrived as %+v", b)
			}
		}
	})
}
