package exporter_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"weak"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/exporter"
)

// What was exported or dropped is out of reach, although the Async is not, and uses its memory again.
func TestAsyncFreesWhatIsSettled(t *testing.T) {
	for _, test := range []struct {
		full   exporter.DropPolicy
		single bool
	}{{exporter.DropOldest, false}, {exporter.DropOldest, true}, {exporter.DropNewest, false}, {exporter.DropNewest, true}} {
		t.Run(fmt.Sprintf("drop=%v/single=%v", test.full, test.single), func(t *testing.T) {
			g := newGate()
			g.single = test.single
			a := newAsync(t, g, exporter.AsyncOptions{MaxBatches: 1, Full: test.full})
			var handed []weak.Pointer[ffexporter.FeatureEvent]
			hand := func() {
				event := &ffexporter.FeatureEvent{Key: "flag"}
				handed = append(handed, weak.Make(event))
				if err := a.Export(context.Background(), nil, []ffexporter.ExportableEvent{event}); err != nil {
					t.Fatal(err)
				}
			}
			hand()
			c := <-g.calls // the first is in flight
			for range 4 {
				hand() // one waits, three are dropped
			}
			wantCounts(t, a.Stats(), exporter.AsyncCounts{Added: 5, Dropped: 3, InFlight: 1, Waiting: 1},
				exporter.AsyncCounts{Added: 5, Dropped: 3, InFlight: 1, Waiting: 1})
			wantReachable(t, handed, 2)
			c.reply <- nil
			c = <-g.calls
			wantReachable(t, handed, 1)
			c.reply <- nil
			for a.Stats().Events.Handled < 2 {
				runtime.Gosched()
			}
			wantReachable(t, handed, 0)
			if err := a.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
}

// wantReachable fails the test unless n of the events are reachable, at the latest when the goroutines that just used
// them have gone.
func wantReachable(t *testing.T, events []weak.Pointer[ffexporter.FeatureEvent], n int) {
	t.Helper()
	reachable := -1
	for range 100 {
		runtime.GC()
		reachable = 0
		for _, e := range events {
			if e.Value() != nil {
				reachable++
			}
		}
		if reachable == n {
			return
		}
	}
	t.Errorf("%d events are reachable, want %d", reachable, n)
}
