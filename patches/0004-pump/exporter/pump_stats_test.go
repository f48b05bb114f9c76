//go:build ignore

package exporter_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
)

func statsOf(t *testing.T, manager eventManager) exporter.Stats {
	t.Helper()
	reporter, ok := manager.(exporter.StatsReporter)
	require.True(t, ok)
	return reporter.Stats()
}

// Whatever an exporter does, its events are exported, dropped, in flight or waiting.
func TestManager_Stats(t *testing.T) {
	t.Parallel()
	const added, timeout = 5000, 100 * time.Millisecond
	tests := []struct {
		name  string
		reply func(t *testing.T) func(context.Context, int) error
		check func(t *testing.T, before, after exporter.ConsumerStats)
	}{
		{
			name:  "well",
			reply: func(*testing.T) func(context.Context, int) error { return nil },
			check: func(t *testing.T, _, after exporter.ConsumerStats) {
				assert.EqualValues(t, added, after.Exported)
				assert.NoError(t, after.LastError)
				assert.NoError(t, after.StopError)
			},
		},
		{
			name:  "failing for a while",
			reply: func(*testing.T) func(context.Context, int) error { return failing(2) },
			check: func(t *testing.T, before, after exporter.ConsumerStats) {
				assert.EqualValues(t, 2, after.Failures)
				assert.ErrorIs(t, after.LastError, errSinkDown)
				assert.Positive(t, after.Dropped, "its backlog is full before it is back")
				assert.Equal(t, before.Dropped, after.Dropped, "more was dropped at Stop")
				assert.NoError(t, after.StopError)
			},
		},
		{
			name:  "down",
			reply: func(*testing.T) func(context.Context, int) error { return failing(1 << 30) },
			check: func(t *testing.T, before, after exporter.ConsumerStats) {
				assert.EqualValues(t, added, after.Dropped)
				assert.Less(t, before.Dropped, after.Dropped, "dropped at Stop")
				assert.Positive(t, after.Failures)
				assert.ErrorIs(t, after.StopError, context.DeadlineExceeded)
				assert.ErrorContains(t, after.StopError, fmt.Sprint(after.Dropped-before.Dropped))
			},
		},
		{
			name:  "hung",
			reply: blocked,
			check: func(t *testing.T, _, after exporter.ConsumerStats) {
				assert.True(t, after.Hung)
				assert.EqualValues(t, 1, after.Calls)
				assert.EqualValues(t, 1, after.Abandoned)
				assert.Positive(t, after.InFlight, "what it still holds")
				assert.ErrorIs(t, after.StopError, context.DeadlineExceeded)
			},
		},
	}
	for _, tt := range tests {
		for _, live := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, live %t", tt.name, live), func(t *testing.T) {
				t.Parallel()
				s := &sink{live: live}
				reply, filled := tt.reply(t), make(chan struct{})
				s.reply = func(ctx context.Context, call int) error {
					<-filled // so that what is dropped is the same in every run
					if reply == nil {
						return nil
					}
					return reply(ctx, call)
				}
				config := exporter.Config{Exporter: s, FlushInterval: time.Hour, MaxEventInMemory: 100, MaxBacklog: 1000}
				if tt.name == "well" {
					config.MaxBacklog = added
				}
				if tt.name == "down" || tt.name == "hung" {
					config.StopTimeout = timeout
				}
				manager := pumped(config)
				add(manager, 0, 100)
				eventually(t, "no export", func() bool { return len(s.given()) == 1 })
				add(manager, 100, added)
				before := statsOf(t, manager).Consumers[0]
				assert.EqualValues(t, added, before.Added)
				assert.EqualValues(t, added, before.Exported+before.Dropped+before.InFlight+before.Waiting)
				assert.LessOrEqual(t, before.Waiting, config.MaxBacklog)
				close(filled)

				returns(t, "Stop", manager.Stop)
				add(manager, added, added+7)
				stats := statsOf(t, manager)
				assert.EqualValues(t, 7, stats.Rejected, "added after Stop")
				require.Len(t, stats.Consumers, 1)
				after := stats.Consumers[0]
				assert.Zero(t, after.Waiting)
				assert.EqualValues(t, added, after.Added)
				assert.EqualValues(t, added, after.Exported+after.Dropped+after.InFlight)
				assert.EqualValues(t, len(s.has()), after.Exported)
				assert.Equal(t, "*exporter_test.sink", after.Exporter)
				tt.check(t, before, after)
			})
		}
	}
}

// An exporter that is back after its deadline goes on, and what it has done counts.
func TestManager_ExporterThatReturnsLate(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := &sink{reply: func(ctx context.Context, call int) error {
		if call == 1 {
			<-ctx.Done() // the configured deadline
			<-release
		}
		return nil
	}}
	manager := pumped(exporter.Config{Exporter: s, FlushInterval: time.Hour, MaxEventInMemory: 10,
		ExportTimeout: 20 * time.Millisecond})
	want := add(manager, 0, 10)
	eventually(t, "not abandoned", func() bool { return statsOf(t, manager).Consumers[0].Hung })
	want = append(want, add(manager, 10, 30)...)
	assert.Len(t, s.given(), 1, "it is called while a call runs")
	close(release)
	eventually(t, "it does not go on", func() bool { return len(s.has()) == len(want) })
	assert.Equal(t, want, s.has())
	manager.Stop()
	after := statsOf(t, manager).Consumers[0]
	assert.False(t, after.Hung)
	assert.EqualValues(t, 1, after.Abandoned)
	assert.EqualValues(t, len(want), after.Exported)
	assert.NoError(t, after.StopError)
}

func TestManager_BacklogBelowTheThreshold(t *testing.T) {
	s := &sink{}
	manager := pumped(exporter.Config{Exporter: s, FlushInterval: time.Hour, MaxEventInMemory: 500, MaxBacklog: 10})
	want := add(manager, 0, 499)
	assert.Zero(t, statsOf(t, manager).Consumers[0].Dropped)
	manager.Stop()
	assert.Equal(t, want, s.has())
}
