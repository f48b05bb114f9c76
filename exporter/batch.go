package exporter

import (
	"context"
	"time"
)

// Batch names a batch of events for as long as it is tried: at every retry it is the same but for Attempt and Stopping, in
// another process too, so what a sink names after it (an object, an idempotency key) replaces itself at a retry.
type Batch struct {
	Instance    string    // the process that held it first; random unless it was set
	First, Last int64     // offsets of its first and last event among those of that process; no other batch has one of them
	Attempt     int       // 1 is the first
	Began       time.Time // when it was handed over for the first time: the date of a name that is to be the same at a retry
	// Stopping says that the process is going down, so that this may be the last attempt: whoever can keep the batch for the
	// next process does so if it cannot be sent.
	Stopping bool
}

type batchKey struct{}

// WithBatch returns a context that carries the batch. [Async] makes such contexts, and so does whoever calls an exporter
// with events that have a name already.
func WithBatch(ctx context.Context, b Batch) context.Context {
	return context.WithValue(ctx, batchKey{}, b)
}

// BatchFrom returns the batch that an exporter is called with, and whether there is one: not when the library itself is
// the caller.
func BatchFrom(ctx context.Context) (Batch, bool) {
	b, ok := ctx.Value(batchKey{}).(Batch)
	return b, ok
}
