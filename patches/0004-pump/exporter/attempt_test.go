//go:build ignore

package exporter_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
)

// All attempts of a batch know it by the same places and the same time.
func TestAttemptFrom(t *testing.T) {
	t.Parallel()
	var mutex sync.Mutex
	var attempts []exporter.Attempt
	s := &sink{reply: func(ctx context.Context, call int) error {
		attempt, ok := exporter.AttemptFrom(ctx)
		assert.True(t, ok)
		mutex.Lock()
		attempts = append(attempts, attempt)
		mutex.Unlock()
		return failing(2)(ctx, call)
	}}
	began := time.Now()
	manager := pumped(exporter.Config{Exporter: s, FlushInterval: time.Hour, MaxEventInMemory: 10})
	add(manager, 0, 10)
	eventually(t, "not exported", func() bool { return len(s.has()) == 10 })
	add(manager, 10, 15)
	manager.Stop()

	require.Len(t, attempts, 4)
	first := attempts[0]
	assert.Equal(t, exporter.Attempt{ConsumerID: statsOf(t, manager).Consumers[0].ConsumerID, First: 0, Last: 9, Number: 1,
		Began: first.Began}, first)
	assert.False(t, first.Began.Before(began))
	for i, again := range attempts[1:3] {
		want := first
		want.Number = i + 2
		assert.Equal(t, want, again)
	}
	last := attempts[3]
	want := exporter.Attempt{ConsumerID: first.ConsumerID, First: 10, Last: 14, Number: 1, Began: last.Began}
	assert.Equal(t, want, last)
	assert.True(t, last.Began.After(first.Began))

	_, ok := exporter.AttemptFrom(context.Background())
	assert.False(t, ok)
}

// The sink's own idea of when to come back is respected.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	const wait = 500 * time.Millisecond // longer than the backoff of a first failure can be
	var failed time.Time
	s := &sink{reply: func(_ context.Context, call int) error {
		if call > 1 {
			assert.GreaterOrEqual(t, time.Since(failed), wait)
			return nil
		}
		failed = time.Now()
		err := exporter.RetryAfter(errSinkDown, wait)
		assert.ErrorIs(t, err, errSinkDown)
		return err
	}}
	manager := pumped(exporter.Config{Exporter: s, FlushInterval: time.Hour, MaxEventInMemory: 1})
	defer manager.Stop()
	add(manager, 0, 1)
	eventually(t, "not exported", func() bool { return len(s.has()) == 1 })
}
