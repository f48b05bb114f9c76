package exporter

import (
	"cmp"
	"fmt"
	"log/slog"
	"time"
)

// Defaults of [AsyncOptions]. What they leave open has the defaults of package eventstore: calls of a minute, retries
// after up to 100 ms at first and up to 30 s later.
const (
	// DefaultMaxBatches is ten: at a flush every three minutes, half an hour of outage.
	DefaultMaxBatches = 10
	// DefaultMaxEvents is ten of the largest batches that the library makes with its default MaxEventInMemory of 100,000.
	// An event of usual size takes 200 to 400 bytes.
	DefaultMaxEvents = 1_000_000
)

// DropPolicy is which batches are given up when more wait than may.
type DropPolicy int

const (
	// DropOldest makes room for a new batch: what is kept is what happened last.
	DropOldest DropPolicy = iota
	// DropNewest gives the new batch up: what is kept is what happened first.
	DropNewest
)

func (p DropPolicy) String() string {
	switch p {
	case DropOldest:
		return "oldest"
	case DropNewest:
		return "newest"
	}
	return fmt.Sprintf("DropPolicy(%d)", int(p))
}

// AsyncOptions are the settings of an [Async]. The zero value stands for the defaults; a negative value is an error.
type AsyncOptions struct {
	// MaxBatches is how many batches may wait, without the one that is being exported. 0 is [DefaultMaxBatches]: with a small
	// MaxEventInMemory or FlushInterval of the library give it more.
	MaxBatches int
	// MaxEvents is how many events may wait, without those that are being exported. 0 is [DefaultMaxEvents]. One batch
	// may wait even if it has more.
	MaxEvents int
	// Full is what happens to a batch that exceeds a bound. Dropped batches are counted, and the first of a burst is logged.
	Full DropPolicy
	// Timeout is when the context of a call ends. A call that returns much later still is counted as hung; nothing else is
	// exported before it returns. 0 is a minute.
	Timeout time.Duration
	// BackoffBase and BackoffCap bound the random wait before a retry: the bound doubles from the first to the second. 0
	// is 100 ms and 30 s. An inner exporter asks for a longer wait with [eventstore.RetryAfter].
	BackoffBase, BackoffCap time.Duration
	// MaxAttempts is how often a batch is tried before it is dropped, counted and logged, so that one which the inner exporter
	// can never export does not hold up all that come after it. 0 is no bound: it is tried for as long as it takes, which is
	// right for an inner exporter that sets events aside which it cannot export, as those of this module do.
	MaxAttempts int
	// Instance names this process in [Batch]. Empty is a random name.
	Instance string
	// Logger is told of failures, hung calls and drops. Nil is the logger that the library passes to Export.
	Logger *slog.Logger
	// Rand returns a random number of at least 0 and below 1, for the backoff. It is not called twice at the same time. Nil
	// is a generator of its own.
	Rand func() float64
}

// complete returns the options with their defaults. Those of the pump are checked by the pump.
func (o AsyncOptions) complete() (AsyncOptions, error) {
	for _, setting := range []struct {
		name  string
		value int
	}{
		{"MaxBatches", o.MaxBatches},
		{"MaxEvents", o.MaxEvents},
		{"MaxAttempts", o.MaxAttempts},
	} {
		if setting.value < 0 {
			return o, fmt.Errorf("exporter: %s is %d; use 0 for the default, or more", setting.name, setting.value)
		}
	}
	if o.Full != DropOldest && o.Full != DropNewest {
		return o, fmt.Errorf("exporter: Full is %v; use DropOldest or DropNewest", o.Full)
	}
	o.MaxEvents = cmp.Or(o.MaxEvents, DefaultMaxEvents)
	o.MaxBatches = min(cmp.Or(o.MaxBatches, DefaultMaxBatches), mostBatches)
	if o.Instance == "" {
		o.Instance = randomInstance()
	}
	return o, nil
}

// mostBatches is more than memory holds, and can be added to: larger options mean the same.
const mostBatches = 1 << 30
