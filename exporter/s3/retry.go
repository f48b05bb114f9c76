package s3

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

const (
	maxAttempts = 8                      // the bounds add up to half a minute, of which half is waited on average
	backoffBase = 250 * time.Millisecond // bounds the wait before the first retry
	backoffCap  = 20 * time.Second       // bounds every wait; a server that wants a longer one is left alone
	retryTokens = 500                    // shared by all uploads of an exporter: a retry takes 5, or 10 after a timeout
)

// retryer decides whether and when a request is tried again. Throttling makes it limit the rate of all requests of its client,
// so each client has its own. All methods may be called at the same time.
type retryer struct {
	*retry.AdaptiveMode
	tokens *ratelimit.TokenRateLimit
}

func newRetryer() aws.RetryerV2 {
	tokens := ratelimit.NewTokenRateLimit(retryTokens)
	return retryer{tokens: tokens, AdaptiveMode: retry.NewAdaptiveMode(func(o *retry.AdaptiveModeOptions) {
		o.Throttles = append(o.Throttles, retry.IsErrorThrottleFunc(throttled))
		o.StandardOptions = append(o.StandardOptions, func(o *retry.StandardOptions) {
			o.MaxAttempts, o.RateLimiter = maxAttempts, tokens
			o.Retryables = append(o.Retryables, retry.IsErrorRetryableFunc(retryable))
			o.Backoff = retry.BackoffDelayerFunc(func(attempt int, err error) (time.Duration, error) {
				return backoff(attempt, retryAfter(err), rand.Float64()), nil
			})
		})
	})}
}

// GetAttemptToken waits until the client's rate allows a request. A request that succeeds gives a token for retries back, which
// the SDK's adaptive mode leaves out: its bucket would run dry for good in the outages of a long-lived process.
func (r retryer) GetAttemptToken(ctx context.Context) (func(error) error, error) {
	release, err := r.AdaptiveMode.GetAttemptToken(ctx)
	if err != nil {
		return nil, err
	}
	return func(err error) error {
		if err == nil {
			_ = r.tokens.AddTokens(1) // never fails
		}
		return release(err)
	}, nil
}

// IsErrorRetryable leaves it to whoever retries the batch to wait for longer than a call should last.
func (r retryer) IsErrorRetryable(err error) bool {
	return retryAfter(err) <= backoffCap && r.AdaptiveMode.IsErrorRetryable(err)
}

// backoff is a random part of a bound that doubles with each attempt, on top of the wait that the server asked for.
func backoff(attempt int, atLeast time.Duration, random float64) time.Duration {
	bound := backoffCap
	if shift := attempt - 1; shift < 16 { // more would overflow
		bound = min(bound, backoffBase<<max(shift, 0))
	}
	return min(atLeast+time.Duration(random*float64(bound)), max(backoffCap, atLeast))
}

// throttled knows a throttling answer by its status, too: a proxy on the way does not send S3's error codes.
func throttled(err error) aws.Ternary {
	switch status(err) {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return aws.TrueTernary
	default:
		return aws.UnknownTernary
	}
}

// retryable adds to what the SDK tries again: throttling by status, and answers that did not arrive whole.
func retryable(err error) aws.Ternary {
	var torn *smithy.DeserializationError
	if errors.As(err, &torn) {
		return aws.TrueTernary
	}
	return throttled(err)
}

// response is the answer that the error is about, or nil.
func response(err error) *smithyhttp.Response {
	var answer *smithyhttp.ResponseError
	if errors.As(err, &answer) {
		return answer.Response
	}
	return nil
}

// status is the HTTP status that the error is about, or 0.
func status(err error) int {
	if r := response(err); r != nil && r.Response != nil {
		return r.StatusCode
	}
	return 0
}

// retryAfter is how long the server asked to be left alone, or 0.
func retryAfter(err error) time.Duration {
	const longest = 24 * time.Hour // more than a day is no wait
	r := response(err)
	if r == nil || r.Response == nil {
		return 0
	}
	text := r.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil {
		return time.Duration(min(max(seconds, 0), int(longest/time.Second))) * time.Second // more may overflow
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(time.Until(at), 0), longest) // one of the two clocks may be wrong by years
	}
	return 0
}
