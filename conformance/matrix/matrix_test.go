package matrix

import (
	"context"
	"flag"
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"go.uber.org/goleak"

	"github.com/offlock/offlock/exporter/spool"
)

// The cells wait more than they compute, so many run at the same time.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

const (
	batches   = 8
	batchSize = 25
)

// target is what a stack exports to, and what arrived there.
type target interface {
	ffexporter.Exporter
	stored(*testing.T) map[string]int
	setAside() int // events that could not be encoded
}

// TestMatrix has every stack export to every sink, and then a second process, which finds the sink well. What arrives is every
// event, once, under the name that its batch had from the start; what does not is counted as dropped or set aside.
func TestMatrix(t *testing.T) {
	for _, kind := range []struct {
		name string
		make func(*testing.T, fault, <-chan struct{}) (unwell, well target)
	}{
		{"in memory", func(_ *testing.T, f fault, hang <-chan struct{}) (target, target) {
			s := &sink{fault: f, hang: hang}
			return s, &again{sink: s}
		}},
		{"s3", newBucket},
	} {
		for _, stack := range stacks {
			for _, fault := range faults {
				if kind.name == "in memory" && !stack.async && !stack.spooled && fault.hangs {
					continue // nothing is between the caller and an exporter that hangs: that is a case for the caller's pump
				}
				t.Run(fmt.Sprintf("%s/%s/%s", kind.name, stack.name, fault.name), func(t *testing.T) {
					t.Parallel()
					hang := make(chan struct{})
					unwell, well := kind.make(t, fault, hang)
					testCell(t, stack, fault, unwell, well, hang)
				})
			}
		}
	}
}

func testCell(t *testing.T, stack stack, fault fault, unwell, well target, hang chan struct{}) {
	folder := t.TempDir()
	first := stack.open(t, unwell, folder)
	for i := range batches {
		first.export(t, eventsOf(i, fault))
	}
	_, inMemory := unwell.(*sink)
	stuck := fault.hangs && inMemory // the S3 exporter gives a request up that hangs
	limit := time.Minute
	if stuck {
		limit = 5 * callTimeout
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	if err := first.stop(ctx); err != nil {
		t.Errorf("stop: %v", err)
	}
	close(hang)
	lost := 0
	if first.async != nil {
		await(t, "the call that hung is settled", func() bool { return first.async.Stats().Events.Lag() == 0 })
		lost = int(first.async.Stats().Events.Dropped)
	}
	if stack.spooled {
		second := succeed(t, stack, well, folder, first.spool)
		await(t, "the spool is empty", func() bool {
			stats := second.spool.Stats()
			return stats.Files == 0 && stats.Adopted == stats.Sent
		})
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		if err := second.stop(ctx); err != nil {
			t.Errorf("stop of the second process: %v", err)
		}
	}

	if lost > 0 && (!stuck || stack.spooled) {
		t.Errorf("%d events were dropped", lost)
	}
	missing := 0
	got := well.stored(t)
	for i := range batches * batchSize {
		name := user(i)
		switch n := got[name]; {
		case fault.poison && i == poisoned:
			if n != 0 {
				t.Errorf("an event that cannot be encoded was stored")
			}
		case n == 0:
			missing++
		case n > 1:
			t.Errorf("the event of %s is there %d times", name, n)
		}
	}
	if missing != lost {
		t.Errorf("%d events are missing, and %d are counted as dropped", missing, lost)
	}
	aside := unwell.setAside()
	if _, ok := well.(*bucket); ok { // which counts for itself
		aside += well.setAside()
	}
	wantAside := 0
	if fault.poison {
		wantAside = 1
	}
	if aside != wantAside {
		t.Errorf("%d events were set aside, want %d", aside, wantAside)
	}
	if s, ok := unwell.(*sink); ok && s.overlap {
		t.Error("two calls ran at the same time")
	}
}

// succeed opens the stack of a second process, once the first one has given its folder up: while a call hangs, it has not.
func succeed(t *testing.T, stack stack, well target, folder string, first *spool.Spool) *opened {
	t.Helper()
	await(t, "the call that hung has returned", func() bool { return !first.Stats().Hung })
	var second *opened
	await(t, "the second process has taken over what is left", func() bool {
		second = stack.open(t, well, folder)
		second.spool.Start()
		patience := time.Now().Add(callTimeout)
		for second.spool.Stats().Adopted < first.Stats().Left {
			if time.Now().After(patience) { // it came too early: the next look would be in a minute
				if err := second.stop(t.Context()); err != nil {
					t.Errorf("stop of the second process: %v", err)
				}
				return false
			}
			runtime.Gosched()
		}
		return true
	})
	return second
}

// poisoned is the index of the event that cannot be encoded.
const poisoned = batchSize + 3

func user(i int) string { return fmt.Sprintf("user-%d", i) }

func eventsOf(batch int, f fault) []ffexporter.ExportableEvent {
	var all []ffexporter.ExportableEvent
	for i := batch * batchSize; i < (batch+1)*batchSize; i++ {
		event := ffexporter.FeatureEvent{
			Kind: "feature", ContextKind: "user", UserKey: user(i), CreationDate: 1680246000, Key: "flag", Variation: "on",
			Value: true, Version: "1", Source: "SERVER",
		}
		if f.poison && i == poisoned {
			event.Value = math.Inf(1)
		}
		all = append(all, event)
	}
	return all
}

// await polls: what it waits for is in the counts alone.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for late := time.After(time.Minute); !done(); {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("after a minute it is not so that %s", what)
		}
	}
}
