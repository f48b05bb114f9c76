//go:build ignore

package exporter_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
)

type eventManager = exporter.Manager[exporter.FeatureEvent]

// Whenever an exporter begins to block for ever: AddEvent returns, Stop returns by its deadline, and the other exporter
// gets everything.
func TestManager_ExporterThatNeverReturns(t *testing.T) {
	t.Parallel()
	const stopTimeout = 100 * time.Millisecond
	tests := []struct {
		name  string
		use   func(t *testing.T, manager eventManager, hung *sink)
		count int // events that use adds
	}{
		{name: "before Start", use: func(_ *testing.T, manager eventManager, _ *sink) {
			add(manager, 0, 100)
			manager.Start()
		}, count: 100},
		{name: "Start in background", use: func(_ *testing.T, manager eventManager, _ *sink) {
			go manager.Start()
			add(manager, 0, 100)
		}, count: 100},
		{name: "during a flush", use: func(t *testing.T, manager eventManager, hung *sink) {
			manager.Start()
			add(manager, 0, 10)
			eventually(t, "no export", func() bool { return len(hung.given()) == 1 })
			add(manager, 10, 500)
		}, count: 500},
		{name: "at Stop", use: func(_ *testing.T, manager eventManager, _ *sink) {
			manager.Start()
			add(manager, 0, 1)
		}, count: 1},
		{name: "with Stop", use: func(_ *testing.T, manager eventManager, _ *sink) {
			add(manager, 0, 100)
			go manager.Stop()
		}, count: 100},
	}
	for _, tt := range tests {
		for _, live := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, live %t", tt.name, live), func(t *testing.T) {
				t.Parallel()
				hung, well := &sink{live: live, reply: blocked(t)}, &sink{live: live}
				manager := pumped(
					within(stopTimeout, exporter.Config{Exporter: hung, FlushInterval: time.Hour, MaxEventInMemory: 10}),
					within(pumpTestGuard, exporter.Config{Exporter: well, FlushInterval: time.Hour, MaxEventInMemory: 10}))
				returns(t, "AddEvent", func() { tt.use(t, manager, hung) })
				returns(t, "Stop", manager.Stop)
				assert.Len(t, well.has(), tt.count)
				assert.Len(t, hung.given(), 1, "calls of an exporter that has not returned")
			})
		}
	}
}

// A failure during Stop is tried again like any other, for as long as Stop may take.
func TestManager_FailureDuringStopIsTriedAgain(t *testing.T) {
	t.Parallel()
	for _, live := range []bool{false, true} {
		t.Run(fmt.Sprintf("live %t", live), func(t *testing.T) {
			t.Parallel()
			s := &sink{live: live, reply: failing(2)}
			manager := pumped(exporter.Config{Exporter: s, FlushInterval: time.Hour})
			want := add(manager, 0, 100)
			returns(t, "Stop", manager.Stop)
			assert.Equal(t, want, s.has())
		})
	}
}

// Start, Stop and AddEvent may come in any order and at the same time, each more than once. What is added after Stop is
// not exported, by no later Stop either.
func TestManager_AnyOrderOfCalls(t *testing.T) {
	tests := []struct {
		name string
		do   func(manager eventManager)
		want int // events exported when do and two more Stops have returned
	}{
		{name: "nothing", do: func(eventManager) {}},
		{name: "Stop before Start", do: func(m eventManager) { m.Stop(); m.Start() }},
		{name: "Stop twice", do: func(m eventManager) { m.Start(); add(m, 0, 3); m.Stop(); m.Stop() }, want: 3},
		{name: "without Start", do: func(m eventManager) { add(m, 0, 3) }, want: 3},
		{name: "AddEvent after Stop", do: func(m eventManager) { add(m, 0, 3); m.Stop(); add(m, 3, 6) }, want: 3},
		{name: "AddEvent and Start after Stop", do: func(m eventManager) { m.Stop(); m.Start(); add(m, 0, 3) }},
	}
	for _, tt := range tests {
		for _, live := range []bool{false, true} {
			ok := t.Run(fmt.Sprintf("%s, live %t", tt.name, live), func(t *testing.T) {
				before := len(pumpStacks())
				s := &sink{live: live}
				manager := pumped(exporter.Config{Exporter: s, FlushInterval: time.Hour, MaxEventInMemory: 2})
				require.NotPanics(t, func() {
					tt.do(manager)
					returns(t, "Stop", manager.Stop)
					returns(t, "Stop", manager.Stop)
				})
				assert.Len(t, s.has(), tt.want)
				requirePumps(t, before)
			})
			if !ok {
				return // each case would wait for its goroutines as long as this one did
			}
		}
	}
}

func TestManager_CallsAtTheSameTime(t *testing.T) {
	for _, live := range []bool{false, true} {
		ok := t.Run(fmt.Sprintf("live %t", live), func(t *testing.T) {
			before := len(pumpStacks())
			s := &sink{live: live}
			manager := pumped(exporter.Config{Exporter: s, FlushInterval: time.Hour, MaxEventInMemory: 2})
			var calls sync.WaitGroup
			for i := range 8 {
				calls.Go(manager.Start)
				calls.Go(func() { add(manager, 100*i, 100*i+100) })
				if i >= 4 {
					calls.Go(manager.Stop)
				}
			}
			returns(t, "one of them", calls.Wait)
			stopped := len(s.has())
			add(manager, 800, 810)
			returns(t, "Stop", manager.Stop)
			assert.Len(t, s.has(), stopped, "something was exported after Stop")
			seen := map[string]bool{}
			for _, key := range s.has() {
				assert.False(t, seen[key], "%s was exported twice", key)
				seen[key] = true
			}
			requirePumps(t, before)
		})
		if !ok {
			return
		}
	}
}

// A manager that is built and dropped leaves nothing behind.
func TestManager_NothingStartsBeforeTheFirstEvent(t *testing.T) {
	before := pumpStacks()
	manager := pumped(exporter.Config{Exporter: &sink{}}, exporter.Config{Exporter: &sink{live: true}})
	assert.Empty(t, startedSince(before))
	add(manager, 0, 1)
	assert.NotEmpty(t, startedSince(before), "these are not the goroutines to look for")
	manager.Stop()
	requirePumps(t, len(before))
}

// startedSince returns the stacks of the goroutines that were not there before: those of other tests may be about to end.
func startedSince(before []string) []string {
	number := func(stack string) string {
		head, _, _ := strings.Cut(stack, " [")
		return head
	}
	return slices.DeleteFunc(pumpStacks(), func(stack string) bool {
		return slices.ContainsFunc(before, func(old string) bool { return number(old) == number(stack) })
	})
}

// pumpStacks returns the stacks of the goroutines that managers have started.
func pumpStacks() []string {
	return stacksWith("internal/eventstore.(*", "exporter.(*eventStoreImpl", "exporter.(*flushLoop")
}

// requirePumps waits until there are no more of them than there were.
func requirePumps(t *testing.T, before int) {
	t.Helper()
	eventually(t, "a goroutine is left", func() bool { return len(pumpStacks()) <= before })
}
