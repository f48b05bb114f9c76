package eventstore

import (
	"context"
	"time"
)

// Attempt tells a handler which batch it holds and how often that was tried. The offsets of a batch are the same at every
// attempt, and no other batch of the consumer has one of them: what an exporter names after them, a retry replaces.
type Attempt struct {
	Consumer    string
	First, Last int64     // the offsets of the batch's first and last event
	Number      int       // 1 is the first
	Began       time.Time // when the first attempt was made
}

type attemptKey struct{}

// AttemptFrom returns the attempt that a pump put into the context of a handler.
func AttemptFrom(ctx context.Context) (Attempt, bool) {
	a, ok := ctx.Value(attemptKey{}).(Attempt)
	return a, ok
}
