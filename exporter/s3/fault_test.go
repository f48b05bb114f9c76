package s3_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/eventstore"
	"github.com/offlock/offlock/exporter/s3"
)

// The names of a batch's attempts are the same: with the batch in the context, and without it if the identical batch comes back.
func TestRetryHasTheSameName(t *testing.T) {
	plain := func(int, int, int) context.Context { return context.Background() }
	for _, test := range []struct {
		name string
		ctx  func(first, n, attempt int) context.Context
	}{{"named", batch}, {"plain library", plain}} {
		t.Run(test.name, func(t *testing.T) {
			var keys []string
			e := start(t, func(next http.Handler) http.Handler { // stores everything, and says so from the third on
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					keys = append(keys, r.URL.Path)
					if len(keys) <= 2 {
						next.ServeHTTP(discard{}, r)
						w.WriteHeader(http.StatusForbidden)
						return
					}
					next.ServeHTTP(w, r)
				})
			})
			x := e.exporter(t)
			one, two := events(0, 10), events(10, 10)
			for i, call := range []struct {
				events  []ffexporter.ExportableEvent
				first   int
				attempt int
				fails   bool
			}{{one, 0, 1, true}, {two, 10, 1, true}, {one, 0, 2, false}, {two, 10, 2, false}} {
				if err := x.Export(test.ctx(call.first, 10, call.attempt), e.logger, call.events); (err != nil) != call.fails {
					t.Errorf("call %d: %v", i, err)
				}
			}
			if len(keys) != 4 || keys[0] != keys[2] || keys[1] != keys[3] || keys[0] == keys[1] {
				t.Errorf("names %q", keys)
			}
			once(t, users(t, e.Objects()), 20)
		})
	}
}

// discard is an answer that gets lost.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

// Where asked for, no object takes the place of another one. That the batch's own object is there already is a success, and a
// foreign one has the batch get another name, which it keeps.
func TestIfNoneMatch(t *testing.T) {
	lose := func(n int64, status int) func(http.Handler) http.Handler { // the first answers that an object was stored
		var seen atomic.Int64
		return func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				storing := r.Method == http.MethodPut && !r.URL.Query().Has("uploadId") || completion(r)
				if storing && seen.Add(1) <= n {
					next.ServeHTTP(discard{}, r)
					w.WriteHeader(status)
					return
				}
				next.ServeHTTP(w, r)
			})
		}
	}
	for _, test := range []struct {
		name    string
		wrap    func(http.Handler) http.Handler
		events  int
		fails   bool // the first attempt of the batch
		foreign bool // an object of its name is there
		want    s3.Stats
	}{
		{name: "stored at once", wrap: lose(0, 0), events: 10, want: s3.Stats{Objects: 1, Events: 10, Requests: 1}},
		{name: "the answer got lost, a request is tried again", wrap: lose(1, http.StatusInternalServerError), events: 10,
			want: s3.Stats{Objects: 1, Events: 10, Existing: 1, Requests: 2}},
		{name: "the answer got lost, the batch is tried again", wrap: lose(1, http.StatusForbidden), events: 10, fails: true,
			want: s3.Stats{Objects: 1, Events: 10, Existing: 1, Failures: 1, Requests: 2}},
		{name: "in parts", wrap: lose(1, http.StatusForbidden), events: 1_000, fails: true,
			want: s3.Stats{Objects: 1, Events: 1_000, Existing: 1, Failures: 1, Requests: 2 * 5}}, // the abort among them
		{name: "a foreign object", wrap: lose(0, 0), events: 10, foreign: true,
			want: s3.Stats{Objects: 1, Events: 10, Requests: 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := start(t, test.wrap)
			objects := 1
			if test.foreign {
				objects++
				if err := e.exporter(t).Export(batch(0, 10, 1), e.logger, events(100, 10)); err != nil {
					t.Fatal(err)
				}
			}
			x := e.exporter(t, func(o *s3.Options) { o.IfNoneMatch = true })
			all := events(0, test.events)
			if test.events > 10 {
				all = large(0, test.events)
			}
			err := x.Export(batch(0, test.events, 1), e.logger, all)
			if (err != nil) != test.fails {
				t.Fatal(err)
			}
			if test.fails {
				if err := x.Export(batch(0, test.events, 2), e.logger, all); err != nil {
					t.Fatal(err)
				}
			}
			got := x.Stats()
			got.Bytes, got.Multipart = 0, 0 // of an object that was there already they are not known
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			found := users(t, e.Objects())
			if len(e.Objects()) != objects || e.Uploads() != 0 || len(found) != test.events+10*(objects-1) {
				t.Errorf("%d objects, %d uploads, %d users", len(e.Objects()), e.Uploads(), len(found))
			}
			for key, o := range e.Objects() {
				if o.Writes != 1 {
					t.Errorf("%s was written %d times", key, o.Writes)
				}
			}
		})
	}
}

// A server that refuses every name is an error, and not asked for ever.
func TestIfNoneMatchNever(t *testing.T) {
	e := start(t, answers(10, http.StatusPreconditionFailed, nil, anything))
	x := e.exporter(t, func(o *s3.Options) { o.IfNoneMatch = true })
	err := x.Export(batch(0, 10, 1), e.logger, events(0, 10))
	if err == nil || !strings.Contains(err.Error(), "no name is free") || x.Stats().Requests != 2 {
		t.Errorf("%v, %+v", err, x.Stats())
	}
}

// Throttled requests are tried again, one at a time; more than a short wait is left to whoever has the batch.
func TestThrottled(t *testing.T) {
	e := start(t, answers(1, http.StatusServiceUnavailable, http.Header{"Retry-After": {"60"}}, anything))
	x := e.exporter(t)
	err := x.Export(batch(0, 10, 1), e.logger, events(0, 10))
	if err == nil || len(e.Requests()) != 0 {
		t.Fatal(err, e.Requests())
	}
	waited := synctestWait(t, err)
	if waited < time.Minute {
		t.Errorf("a pump hands the batch over again after %v, want a minute", waited)
	}
}

// synctestWait is how long a pump waits before it tries a batch again that failed with the error.
func synctestWait(t *testing.T, failure error) (waited time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		store, err := eventstore.New[int](eventstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		consumer, err := store.Consumer("s3", eventstore.ConsumerOptions{Threshold: 1})
		if err != nil {
			t.Fatal(err)
		}
		again := make(chan time.Time)
		var failed time.Time
		pump, err := eventstore.NewPump(consumer, func(context.Context, eventstore.Batch[int]) error {
			if failed.IsZero() {
				failed = time.Now()
				return failure
			}
			again <- time.Now()
			return nil
		}, eventstore.PumpOptions{})
		if err != nil {
			t.Fatal(err)
		}
		pump.Start()
		store.Append(1)
		waited = (<-again).Sub(failed)
		if err := pump.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return waited
}

// A connection that stalls is given up and the request sent again.
func TestStalled(t *testing.T) {
	var stalled atomic.Bool
	e := start(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if stalled.CompareAndSwap(false, true) {
				_, _ = io.Copy(io.Discard, r.Body)
				<-r.Context().Done()
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	x := e.exporter(t, func(o *s3.Options) { o.AttemptTimeout = 200 * time.Millisecond })
	if err := x.Export(context.Background(), e.logger, events(0, 10)); err != nil {
		t.Fatal(err)
	}
	if s := x.Stats(); s.Requests < 2 {
		t.Errorf("%+v", s)
	}
	once(t, users(t, e.Objects()), 10)
}

// Export ends before the deadline of its context, or after its own.
func TestDeadline(t *testing.T) {
	for _, test := range []struct {
		name string
		ctx  time.Duration // 0: none
		own  time.Duration
	}{{"the context's", 300 * time.Millisecond, time.Hour}, {"its own", 0, 300 * time.Millisecond}} {
		t.Run(test.name, func(t *testing.T) {
			e := start(t, func(http.Handler) http.Handler {
				return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					<-r.Context().Done()
				})
			})
			x := e.exporter(t, func(o *s3.Options) { o.Timeout = test.own })
			ctx := context.Background()
			if test.ctx > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, test.ctx)
				defer cancel()
			}
			if err := x.Export(ctx, e.logger, events(0, 10)); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v, want a deadline", err)
			}
			if ctx.Err() != nil {
				t.Log("the caller's context was over, too: the machine is slow")
			}
		})
	}
}

// A start that failed is tried again at the next Export, by several callers at once.
func TestStartIsTriedAgain(t *testing.T) {
	e := start(t)
	t.Setenv("AWS_CONFIG_FILE", t.TempDir()+"/none")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", t.TempDir()+"/none")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_PROFILE", "missing")
	endpoint := *e.options.AwsConfig
	x := e.exporter(t, func(o *s3.Options) {
		o.AwsConfig = nil
		o.S3ClientOptions = append(o.S3ClientOptions, func(o *awss3.Options) {
			o.BaseEndpoint, o.HTTPClient = endpoint.BaseEndpoint, endpoint.HTTPClient
		})
	})
	for range 2 {
		if err := x.Export(context.Background(), e.logger, events(0, 10)); err == nil || !strings.Contains(err.Error(), "missing") {
			t.Fatalf("%v, want an error about the profile", err)
		}
	}
	t.Setenv("AWS_PROFILE", "")
	t.Setenv("AWS_REGION", "eu-west-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			if err := x.Export(context.Background(), e.logger, events(10*i, 10)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	once(t, users(t, e.Objects()), 40)
}
