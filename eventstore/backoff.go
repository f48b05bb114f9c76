package eventstore

import (
	"errors"
	"time"
)

// MaxRetryAfter bounds the wait that a handler can ask for with [RetryAfter].
const MaxRetryAfter = time.Hour

// RetryAfter wraps an error of a handler with the time that the sink asked to wait (as in HTTP's header of that name): the
// pump waits that long at least, up to [MaxRetryAfter], before it hands the batch over again. It returns nil for a nil error.
func RetryAfter(err error, wait time.Duration) error {
	if err == nil {
		return nil
	}
	return &retryAfter{err, wait}
}

type retryAfter struct {
	err  error
	wait time.Duration
}

func (e *retryAfter) Error() string { return e.err.Error() }
func (e *retryAfter) Unwrap() error { return e.err }

// backoff is how long to wait after a batch has failed for the nth time, 1 being the first: a random part of a bound that
// doubles (full jitter, which spreads retries best), or what the handler asked for if that is longer.
func (o PumpOptions) backoff(n int, err error) time.Duration {
	bound := o.BackoffBase
	for ; n > 1 && bound < o.BackoffCap; n-- {
		bound = min(2*bound, o.BackoffCap)
		if bound <= 0 { // overflow
			bound = o.BackoffCap
		}
	}
	wait := time.Duration(o.Rand() * float64(bound))
	if asked := askedBy(err); asked != nil {
		wait = max(wait, min(asked.wait, MaxRetryAfter))
	}
	return wait
}

// askedBy is the retryAfter in the error of a handler, or nil. The search calls methods of that error, which may panic as the
// handler itself may: most do for a nil pointer, and a nil pointer in an error is not a nil error. Then there is none.
func askedBy(err error) (asked *retryAfter) {
	defer func() { _ = recover() }()
	errors.As(err, &asked)
	return asked
}

// maxMargin is as long as anything that ends on time is waited for. Arbitrary.
const maxMargin = 500 * time.Millisecond

// margin is the part of a time that is kept for a handler to return in after its context has ended.
func margin(d time.Duration) time.Duration { return min(d/10, maxMargin) }
