package s3

import (
	"errors"
	"net/http"
	"testing"
	"time"

	smithyhttp "github.com/aws/smithy-go/transport/http"
)

func answered(status int, retryAfter string) error {
	header := http.Header{}
	if retryAfter != "" {
		header.Set("Retry-After", retryAfter)
	}
	return &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status, Header: header}}, Err: errors.New("refused"),
	}
}

func TestBackoff(t *testing.T) {
	for _, test := range []struct {
		attempt int
		atLeast time.Duration
		random  float64
		want    time.Duration
	}{
		{1, 0, 0, 0},
		{1, 0, 0.5, 125 * time.Millisecond},
		{3, 0, 0.5, 500 * time.Millisecond},
		{8, 0, 0.5, 10 * time.Second},
		{1000, 0, 0.5, 10 * time.Second}, // no overflow
		{1, 3 * time.Second, 0.4, 3100 * time.Millisecond},
		{9, 19 * time.Second, 0.9, 20 * time.Second},
		{1, time.Hour, 0.9, time.Hour},
	} {
		if got := backoff(test.attempt, test.atLeast, test.random); got != test.want {
			t.Errorf("attempt %d, at least %v: %v, want %v", test.attempt, test.atLeast, got, test.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	for _, test := range []struct {
		text      string
		want      time.Duration
		retryable bool
	}{
		{"", 0, true}, {"3", 3 * time.Second, true}, {"-3", 0, true}, {"soon", 0, true}, {"60", time.Minute, false},
		{"99999999999", 24 * time.Hour, false}, {"Wed, 21 Oct 2015 07:28:00 GMT", 0, true},
	} {
		err := answered(http.StatusServiceUnavailable, test.text)
		if got := retryAfter(err); got != test.want {
			t.Errorf("Retry-After %q: %v, want %v", test.text, got, test.want)
		}
		if got := newRetryer().IsErrorRetryable(err); got != test.retryable {
			t.Errorf("Retry-After %q: retryable %t", test.text, got)
		}
	}
	century := time.Now().AddDate(100, 0, 0).UTC().Format(http.TimeFormat)
	if got := retryAfter(answered(http.StatusServiceUnavailable, century)); got != 24*time.Hour {
		t.Errorf("in a century: %v, want a day", got)
	}
	if got := retryAfter(errors.New("no answer")); got != 0 {
		t.Error(got)
	}
	future := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	if got := retryAfter(answered(http.StatusServiceUnavailable, future)); got < 50*time.Minute || got > time.Hour {
		t.Errorf("a date in an hour: %v", got)
	}
}

func TestRetryable(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		want bool
	}{
		{"throttled, no code", answered(http.StatusServiceUnavailable, ""), true},
		{"too many", answered(http.StatusTooManyRequests, ""), true},
		{"internal", answered(http.StatusInternalServerError, ""), true},
		{"denied", answered(http.StatusForbidden, ""), false},
		{"exists", answered(http.StatusPreconditionFailed, ""), false},
		{"late", &attemptTimeoutError{"PutObject", time.Second}, true},
		{"unknown", errors.New("unknown"), false},
	} {
		if got := newRetryer().IsErrorRetryable(test.err); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}

// An outage may use up the tokens for retries; requests that succeed after it give them back.
func TestRetryTokensComeBack(t *testing.T) {
	r := newRetryer().(retryer)
	outage := answered(http.StatusInternalServerError, "")
	tokens := 0
	for {
		release, err := r.GetRetryToken(t.Context(), outage)
		if err != nil {
			break
		}
		if tokens++; tokens > retryTokens {
			t.Fatal("retries have no bound")
		}
		_ = release(outage)
	}
	for range 10 {
		release, err := r.GetAttemptToken(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_ = release(nil)
	}
	if _, err := r.GetRetryToken(t.Context(), outage); err != nil {
		t.Error("after ten successes:", err)
	}
}
