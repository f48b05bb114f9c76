package faultproxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newS3 is a proxy in front of an S3 with one bucket, and a client of it that tries three times without a pause.
func newS3(t *testing.T, bucket string) (*Proxy, *s3.Client) {
	t.Helper()
	memory := s3mem.New()
	if err := memory.CreateBucket(bucket); err != nil {
		t.Fatal(err)
	}
	p := New(gofakes3.New(memory).Server())
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return p, s3.New(s3.Options{
		BaseEndpoint: &server.URL,
		UsePathStyle: true,
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider("any", "any", ""),
		HTTPClient:   server.Client(),
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxAttempts = 3
			o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
		}),
	})
}

func put(ctx context.Context, client *s3.Client, bucket, key, body string) error {
	_, err := client.PutObject(ctx, &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: strings.NewReader(body)})
	return err
}

func get(t *testing.T, client *s3.Client, bucket, key string) string {
	t.Helper()
	object, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: &bucket, Key: &key})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = object.Body.Close() }()
	content, err := io.ReadAll(object.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func mustSet(t *testing.T, p *Proxy, f Faults) {
	t.Helper()
	if err := p.SetFaults(f); err != nil {
		t.Fatal(err)
	}
}

func TestStatusReachesTheClient(t *testing.T) {
	for _, tc := range []struct {
		name     string
		faults   Faults
		code     string
		attempts int
	}{
		{"SlowDown is tried again", Faults{Status: 503}, "SlowDown", 3},
		{"InternalError is tried again", Faults{Status: 500}, "InternalError", 3},
		{"AccessDenied is final", Faults{Status: 403, Code: "AccessDenied"}, "AccessDenied", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, client := newS3(t, "events")
			mustSet(t, p, tc.faults)
			err := put(t.Context(), client, "events", "a/b", "one")
			var api smithy.APIError
			if !errors.As(err, &api) || api.ErrorCode() != tc.code {
				t.Errorf("error %v, want %s", err, tc.code)
			}
			if got, want := p.Counts("events"), (Counts{Puts: tc.attempts, FailedPuts: tc.attempts, FailedNames: 1, AbandonedNames: 1}); got != want {
				t.Errorf("counts %+v, want %+v", got, want)
			}

			mustSet(t, p, Faults{})
			if err := put(t.Context(), client, "events", "a/b", "two"); err != nil {
				t.Errorf("after the outage: %v", err)
			}
			if got, want := p.Counts("events"), (Counts{Puts: tc.attempts + 1, FailedPuts: tc.attempts, FailedNames: 1, ChangedNames: 1}); got != want {
				t.Errorf("counts %+v, want %+v", got, want)
			}
			if got := get(t, client, "events", "a/b"); got != "two" {
				t.Errorf("stored %q", got)
			}
			p.Forget("events")
			if got := p.Counts("events"); got != (Counts{}) {
				t.Errorf("counts %+v after Forget", got)
			}
		})
	}
}

func TestRetryAfterIsSent(t *testing.T) {
	p := New(http.NotFoundHandler())
	mustSet(t, p, Faults{Status: 503, RetryAfterSeconds: 7})
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest(http.MethodPut, "/events/a", strings.NewReader("x")))
	if got := w.Header().Get("Retry-After"); w.Code != 503 || got != "7" {
		t.Errorf("status %d, Retry-After %q", w.Code, got)
	}
	if body := w.Body.String(); !strings.Contains(body, "<Error><Code>SlowDown</Code>") {
		t.Errorf("body %s", body)
	}
}

func TestResetBreaksTheConnection(t *testing.T) {
	p, client := newS3(t, "events")
	mustSet(t, p, Faults{Reset: true})
	err := put(t.Context(), client, "events", "a", "one")
	var api smithy.APIError
	if err == nil || errors.As(err, &api) {
		t.Errorf("error %v, want one of the connection", err)
	}
	if got := p.Counts("events"); got.Puts < 1 || got.FailedPuts != got.Puts {
		t.Errorf("counts %+v", got)
	}
}

func TestErrorsOfTheServerCount(t *testing.T) {
	p, client := newS3(t, "events")
	if err := put(t.Context(), client, "no-such-bucket", "a", "one"); err == nil {
		t.Error("no error")
	}
	if got, want := p.Counts("no-such-bucket"), (Counts{Puts: 1, FailedPuts: 1, FailedNames: 1, AbandonedNames: 1}); got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
}

func TestOnlyObjectPutsAreTouched(t *testing.T) {
	var reached []string
	p := New(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		reached = append(reached, r.Method+" "+r.URL.Path)
	}))
	mustSet(t, p, Faults{Status: 503})
	want := []string{"GET /events/a", "HEAD /events/a", "DELETE /events/a", "PUT /events", "PUT /events/", "POST /events/a"}
	for _, request := range append(want, "PUT /events/a", "PUT /events//a") {
		method, path, _ := strings.Cut(request, " ")
		p.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, path, nil))
	}
	if got := strings.Join(reached, ", "); got != strings.Join(want, ", ") {
		t.Errorf("reached the server: %s", got)
	}
	if got, want := p.Counts("events"), (Counts{Puts: 2, FailedPuts: 2, FailedNames: 2, AbandonedNames: 2}); got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
}

// In a bubble the clock is exact and synctest.Wait says when a request waits.
func TestWaits(t *testing.T) {
	for _, tc := range []struct {
		name   string
		faults Faults
		then   func(t *testing.T, p *Proxy, cancel func())
		stored bool
	}{
		{"delay passes", Faults{DelayMS: 65}, func(_ *testing.T, _ *Proxy, _ func()) { time.Sleep(65 * time.Millisecond) }, true},
		{"client leaves during the delay", Faults{DelayMS: 65}, func(_ *testing.T, _ *Proxy, cancel func()) { cancel() }, false},
		{"stall is lifted", Faults{Stall: true}, func(t *testing.T, p *Proxy, _ func()) { mustSet(t, p, Faults{}) }, true},
		{"client leaves a stall", Faults{Stall: true}, func(_ *testing.T, _ *Proxy, cancel func()) { cancel() }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var stored atomic.Bool
				p := New(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stored.Store(true) }))
				mustSet(t, p, tc.faults)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					r := httptest.NewRequest(http.MethodPut, "/events/a", strings.NewReader("x"))
					p.ServeHTTP(httptest.NewRecorder(), r.WithContext(ctx))
				}()
				synctest.Wait()
				if stored.Load() {
					t.Fatal("stored without waiting")
				}
				tc.then(t, p, cancel)
				<-ended
				if stored.Load() != tc.stored {
					t.Errorf("stored: %v, want %v", stored.Load(), tc.stored)
				}
				want := Counts{Puts: 1}
				if !tc.stored {
					want.FailedPuts, want.FailedNames, want.AbandonedNames = 1, 1, 1
				}
				if got := p.Counts("events"); got != want {
					t.Errorf("counts %+v, want %+v", got, want)
				}
			})
		})
	}
}

func TestBadFaultsAreRefused(t *testing.T) {
	for _, tc := range []struct {
		name   string
		faults Faults
		want   string
	}{
		{"negative delay", Faults{DelayMS: -1}, "delayMS is -1"},
		{"endless delay", Faults{DelayMS: 1 << 40}, "give 0 to an hour"},
		{"no error status", Faults{Status: 200}, "400 to 599"},
		{"status without a code", Faults{Status: 403}, "needs a code"},
		{"code without a status", Faults{Code: "SlowDown"}, "need a status"},
		{"hint without a status", Faults{RetryAfterSeconds: 1}, "need a status"},
		{"negative hint", Faults{Status: 503, RetryAfterSeconds: -1}, "retryAfterSeconds is -1"},
		{"two fates", Faults{Status: 503, Stall: true}, "exclude each other"},
		{"two other fates", Faults{Reset: true, Stall: true}, "exclude each other"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := New(http.NotFoundHandler())
			mustSet(t, p, Faults{DelayMS: 5})
			if err := p.SetFaults(tc.faults); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
			if got := p.Faults(); got != (Faults{DelayMS: 5}) {
				t.Errorf("the refused faults left %+v", got)
			}
		})
	}
}

func TestProxyConcurrentSafe(t *testing.T) {
	p, client := newS3(t, "events")
	const writers, each = 8, 20
	failed := make([]int, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for j := range each {
				if err := p.SetFaults(Faults{Status: []int{0, 503}[j%2]}); err != nil {
					t.Error(err)
				}
				if put(t.Context(), client, "events", string(rune('a'+i)), "x") != nil {
					failed[i]++
				}
			}
		})
	}
	wg.Wait()
	succeeded := writers * each
	for _, n := range failed {
		succeeded -= n
	}
	if got := p.Counts("events"); got.Puts-got.FailedPuts != succeeded {
		t.Errorf("counts %+v, but %d uploads succeeded", got, succeeded)
	}
}
