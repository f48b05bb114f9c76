//go:build ignore

package exporter

import (
	"context"
	"time"

	"github.com/thomaspoignant/go-feature-flag/internal/eventstore"
)

// Attempt tells an Exporter which batch it is given, and how often that was tried. A batch is tried again until it is
// exported, always with the same events: First, Last and Began stay what they were.
type Attempt struct {
	ConsumerID  string
	First, Last int64     // the places of its first and last event among all that the Manager was given
	Number      int       // 1 is the first
	Began       time.Time // the first attempt
}

// AttemptFrom returns the attempt that the context of an Export belongs to. There is none if the Export was not called
// for a Manager.
func AttemptFrom(ctx context.Context) (Attempt, bool) {
	if ctx == nil { // an Exporter may be called without one
		return Attempt{}, false
	}
	a, ok := eventstore.AttemptFrom(ctx)
	return Attempt{ConsumerID: a.Consumer, First: a.First, Last: a.Last, Number: a.Number, Began: a.Began}, ok
}

// RetryAfter wraps the error that an Export returns with how long the sink asked to wait before the next attempt.
func RetryAfter(err error, wait time.Duration) error { return eventstore.RetryAfter(err, wait) }
