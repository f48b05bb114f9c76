package spool

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/offlock/offlock/eventstore"
)

// Defaults of [Options].
const (
	// DefaultAfter is longer than a sink that restarts or throttles needs, and short enough that a process which is killed
	// during an outage loses little. Arbitrary beyond that.
	DefaultAfter = 10 * time.Second
	// DefaultMaxBytes is room for the events of about an hour of a busy service, and fits any disk. Arbitrary beyond that.
	DefaultMaxBytes = 1 << 30
	// DefaultMaxAge is a week: an outage over holidays is over then, and late events are of little use.
	DefaultMaxAge = 7 * 24 * time.Hour
	// The following are eventstore's own.
	DefaultTimeout     = eventstore.DefaultTimeout
	DefaultBackoffBase = eventstore.DefaultBackoffBase
	DefaultBackoffCap  = eventstore.DefaultBackoffCap
)

// Options are the settings of a [Spool]. Dir is to be set; for all others the zero value stands for the default.
type Options struct {
	// Dir is the folder for the batches. New creates it if it is missing. Several processes may share it, if they export to
	// the same sink; it must be on a file system that has locks and atomic renames.
	Dir string
	// After is how long the inner exporter must have failed before batches are written to disk: until then Export returns
	// its errors. It counts from the beginning of the first call that failed after the last one that did not, and a batch
	// is written when it is handed over again after that: the caller's own backoff, of exporter.Async say, adds to it.
	// 0 is [DefaultAfter]; a negative one writes a batch at its first failure.
	After time.Duration
	// MaxBytes bounds the files that wait to be sent. Past it the oldest are dropped and counted, once the new one is
	// written. Of processes that share a folder, each has that much. 0 is [DefaultMaxBytes]; a negative one is an error.
	MaxBytes int64
	// MaxAge is how old a file may grow before it is dropped and counted. 0 is [DefaultMaxAge]; a negative one is an error.
	MaxAge time.Duration
	// NoSync leaves out fsync, which takes some milliseconds a batch (measured in docs/performance.md). Batches then survive the
	// end of the process, even by SIGKILL, but those of the last seconds may be lost when the machine stops.
	NoSync bool
	// Timeout is when the context of a call of the inner exporter ends, if the caller's does not end before.
	// 0 is [DefaultTimeout]; a negative one is an error.
	Timeout time.Duration
	// BackoffBase bounds the wait before a batch from disk is tried again. The bound doubles with each failure, up to
	// BackoffCap, and the wait is a random part of it, or what the inner exporter asked for by [eventstore.RetryAfter] if that
	// is longer. 0 are [DefaultBackoffBase] and [DefaultBackoffCap]; a negative one, or a cap below the base, is an error.
	BackoffBase, BackoffCap time.Duration
	// Logger is told when batches begin to go to disk, when all are sent, and of failures, drops and files set aside. Nil is
	// the logger that the library passes to Export: then what happens before the first Export is not logged.
	Logger *slog.Logger
	// Rand returns a random number of at least 0 and below 1. Nil is [rand.Float64].
	Rand func() float64
}

// complete returns the options with their defaults. The pump checks the backoff and fills it in.
func (o Options) complete() (Options, error) {
	if o.Dir == "" {
		return o, errors.New("spool: Dir is empty; name a folder for the batches")
	}
	if o.MaxBytes < 0 {
		return o, fmt.Errorf("spool: MaxBytes is %d; use 0 for the default of %d, or more", o.MaxBytes, int64(DefaultMaxBytes))
	}
	for _, setting := range []struct {
		name  string
		value *time.Duration
		usual time.Duration
	}{{"MaxAge", &o.MaxAge, DefaultMaxAge}, {"Timeout", &o.Timeout, DefaultTimeout}} {
		if *setting.value < 0 {
			return o, fmt.Errorf("spool: %s is %v; use 0 for the default of %v, or more", setting.name, *setting.value, setting.usual)
		}
		if *setting.value == 0 {
			*setting.value = setting.usual
		}
	}
	if o.After == 0 {
		o.After = DefaultAfter
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	return o, nil
}
