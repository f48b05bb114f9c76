//go:build ignore

package exporter_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
)

var errSinkDown = errors.New("sink is down")

// failing makes the first calls fail.
func failing(calls int) func(context.Context, int) error {
	return func(_ context.Context, call int) error {
		if call <= calls {
			return errSinkDown
		}
		return nil
	}
}

// A batch that failed is given to the exporter again as it was, whatever was added since; no event and no tick is
// needed for that.
func TestManager_RetryIsTheSameBatch(t *testing.T) {
	t.Parallel()
	for _, live := range []bool{false, true} {
		t.Run(fmt.Sprintf("live %t", live), func(t *testing.T) {
			t.Parallel()
			added := make(chan struct{})
			s := &sink{live: live, reply: func(_ context.Context, call int) error {
				if call == 1 {
					<-added // so that the next attempt could take them along
				}
				return failing(3)(nil, call)
			}}
			manager := pumped(exporter.Config{Exporter: s, FlushInterval: time.Hour, MaxEventInMemory: 1})
			defer manager.Stop()
			want := add(manager, 0, 1)
			eventually(t, "no export", func() bool { return len(s.given()) == 1 })
			want = append(want, add(manager, 1, 20)...)
			close(added)

			eventually(t, "not all events were exported", func() bool { return len(s.has()) == len(want) })
			assert.Equal(t, want, s.has(), "each event once, in order")
			calls := s.given()
			require.GreaterOrEqual(t, len(calls), 5)
			for i, keys := range calls[:4] {
				assert.Equal(t, want[:1], keys, "attempt %d of the first batch", i+1)
			}
		})
	}
}

// While a sink is down, it is the backoff that says when it is tried again, and not the traffic.
func TestManager_AttemptsFollowTheBackoff(t *testing.T) {
	t.Parallel()
	for _, live := range []bool{false, true} {
		t.Run(fmt.Sprintf("live %t", live), func(t *testing.T) {
			t.Parallel()
			const events, pause = 50, 20 * time.Millisecond
			s := &sink{live: live, reply: failing(1 << 30)}
			manager := pumped(within(20*time.Millisecond,
				exporter.Config{Exporter: s, FlushInterval: time.Hour, MaxEventInMemory: 10}))
			defer manager.Stop()
			add(manager, 0, 10)
			for i := range events {
				add(manager, 10+i, 11+i)
				before := len(s.given())
				for deadline := time.Now().Add(pause); len(s.given()) == before && time.Now().Before(deadline); {
					time.Sleep(time.Millisecond)
				}
			}
			// The waits double, from 50 ms on average. In the second or so that this took, that makes about five.
			attempts := len(s.given())
			assert.Positive(t, attempts)
			assert.LessOrEqual(t, attempts, events/2, "attempts for %d events after the first failure", events)
		})
	}
}

// What a dead sink leaves behind is bounded: the oldest events are dropped, the latest are there when it is back.
func TestManager_BacklogIsBounded(t *testing.T) {
	t.Parallel()
	for _, live := range []bool{false, true} {
		t.Run(fmt.Sprintf("live %t", live), func(t *testing.T) {
			t.Parallel()
			const threshold, events = 200, 20_000
			s := &sink{live: live}
			back := make(chan struct{})
			s.reply = func(context.Context, int) error {
				select {
				case <-back:
					return nil
				default:
					return errSinkDown
				}
			}
			manager := pumped(exporter.Config{Exporter: s, FlushInterval: time.Hour, MaxEventInMemory: threshold})
			returns(t, "AddEvent", func() { add(manager, 0, events) })
			eventually(t, "no attempt", func() bool { return len(s.given()) > 0 })
			close(back)
			returns(t, "Stop", manager.Stop)

			got := s.has()
			inFlight := len(s.given()[0])
			require.NotEmpty(t, got)
			assert.LessOrEqual(t, len(got)-inFlight, 10*threshold, "events beyond the batch that was in flight")
			assert.GreaterOrEqual(t, len(got), 9*threshold, "the backlog is not used")
			assert.Equal(t, fmt.Sprintf("event %d", events-1), got[len(got)-1], "the latest event")
		})
	}
}
