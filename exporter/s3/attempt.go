package s3

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"
)

// attempt is the SDK's middleware inside the retries: it gives each attempt a deadline of its own and counts it.
type attempt struct {
	timeout  time.Duration
	requests *atomic.Int64 // of the exporter
}

// stores is carried by the context of an Export.
type storesKey struct{}

// withStores returns a context in which the attempts are counted that may have stored the object, had their answer been lost.
func withStores(ctx context.Context) (context.Context, *atomic.Int64) {
	stores := new(atomic.Int64) // parts are sent by several goroutines
	return context.WithValue(ctx, storesKey{}, stores), stores
}

func (a attempt) add(stack *middleware.Stack) error {
	return stack.Finalize.Insert(a, "Retry", middleware.After)
}

// ID is the middleware's name.
func (a attempt) ID() string { return "offlockAttempt" }

// HandleFinalize makes one attempt.
func (a attempt) HandleFinalize(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
	middleware.FinalizeOutput, middleware.Metadata, error,
) {
	a.requests.Add(1)
	operation := awsmiddleware.GetOperationName(ctx)
	if stores, ok := ctx.Value(storesKey{}).(*atomic.Int64); ok && (operation == "PutObject" || operation == "CompleteMultipartUpload") {
		stores.Add(1)
	}
	limited, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	out, metadata, err := next.HandleFinalize(limited, in)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		// The SDK takes an ended context for a cancelled operation, which it does not try again. This one is only late.
		err = &attemptTimeoutError{operation, a.timeout}
	}
	return out, metadata, err
}

// attemptTimeoutError says that one attempt took too long. Its methods are what the SDK's retries go by.
type attemptTimeoutError struct {
	operation string
	after     time.Duration
}

func (e *attemptTimeoutError) Error() string {
	return fmt.Sprintf("s3: %s: no answer within AttemptTimeout, %v", e.operation, e.after)
}

// Timeout says that a retry takes more tokens than others.
func (e *attemptTimeoutError) Timeout() bool { return true }

// RetryableError says that the request may be tried again.
func (e *attemptTimeoutError) RetryableError() bool { return true }
