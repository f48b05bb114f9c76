package s3_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
	"go.uber.org/goleak"

	"github.com/offlock/offlock/exporter"
	"github.com/offlock/offlock/exporter/s3"
	"github.com/offlock/offlock/exporter/s3/s3test"
)

func TestMain(m *testing.M) {
	// The event store of the plain library never ends its clean-up goroutine.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction(
		"github.com/thomaspoignant/go-feature-flag/exporter.(*eventStoreImpl[...]).periodicCleanQueue"))
}

// bucket is the bucket of the tests.
const bucket = "flags"

// endpoint is an S3 endpoint over TLS, and what an exporter needs to reach it.
type endpoint struct {
	*s3test.Server
	options s3.Options
	logs    *bytes.Buffer
	logger  *fflog.FFLogger
}

// start runs an endpoint behind the given handlers, the first one outermost.
func start(t testing.TB, wrap ...func(http.Handler) http.Handler) *endpoint {
	e := &endpoint{Server: &s3test.Server{}, logs: &bytes.Buffer{}}
	var handler http.Handler = e.Server
	for i := len(wrap) - 1; i >= 0; i-- {
		handler = wrap[i](handler)
	}
	server := httptest.NewTLSServer(handler)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	e.logger = &fflog.FFLogger{LeveledLogger: slog.New(slog.NewTextHandler(e.logs, nil))}
	e.options = s3.Options{
		Bucket: bucket,
		AwsConfig: &aws.Config{
			Region: "eu-west-1", Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""),
			HTTPClient: server.Client(), BaseEndpoint: aws.String(server.URL),
		},
		S3ClientOptions: []func(*awss3.Options){func(o *awss3.Options) { o.UsePathStyle = true }},
	}
	return e
}

// exporter makes one for the endpoint, its options changed as told.
func (e *endpoint) exporter(t testing.TB, change ...func(*s3.Options)) *s3.Exporter {
	t.Helper()
	o := e.options
	for _, c := range change {
		c(&o)
	}
	x, err := s3.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// events makes n events with numbers from first on.
func events(first, n int) []ffexporter.ExportableEvent {
	all := make([]ffexporter.ExportableEvent, n)
	for i := range all {
		all[i] = ffexporter.FeatureEvent{
			Kind: "feature", ContextKind: "user", UserKey: fmt.Sprintf("user-%08d", first+i), CreationDate: 1680246000,
			Key: "my-feature-flag", Variation: "enabled", Value: true, Version: "v1.0.0", Source: "SERVER",
		}
	}
	return all
}

// large makes n events of 8 KiB: few are much to send, and little to encode under the race detector.
func large(first, n int) []ffexporter.ExportableEvent {
	all := events(first, n)
	for i, e := range all {
		event := e.(ffexporter.FeatureEvent)
		event.Variation = strings.Repeat(event.UserKey, 8<<10/len(event.UserKey))
		all[i] = event
	}
	return all
}

// lines is the events as the library writes them.
func lines(t testing.TB, events []ffexporter.ExportableEvent) []byte {
	t.Helper()
	var all bytes.Buffer
	for _, e := range events {
		line, err := e.FormatInJSON()
		if err != nil {
			t.Fatal(err)
		}
		all.Write(line)
	}
	return all.Bytes()
}

// users are the user keys in all objects together, with how often each is there.
func users(t testing.TB, objects map[string]s3test.Object) map[string]int {
	t.Helper()
	found := map[string]int{}
	for key, o := range objects {
		in := json.NewDecoder(bytes.NewReader(o.Body))
		for {
			var e ffexporter.FeatureEvent
			if err := in.Decode(&e); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", key, err)
			}
			found[e.UserKey]++
		}
	}
	return found
}

// once reports users that are not there exactly once.
func once(t testing.TB, found map[string]int, n int) {
	t.Helper()
	for i := range n {
		if user := fmt.Sprintf("user-%08d", i); found[user] != 1 {
			t.Errorf("%s is stored %d times", user, found[user])
			return
		}
	}
	if len(found) != n {
		t.Errorf("%d users are stored, want %d", len(found), n)
	}
}

// batch is a context with a batch of n events from first on.
func batch(first, n, attempt int) context.Context {
	return exporter.WithBatch(context.Background(), exporter.Batch{
		Instance: "pod-1", First: int64(first), Last: int64(first + n - 1), Attempt: attempt,
		Began: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
	})
}

// answers makes the first answers to the operation errors of the given status, with the headers.
func answers(n, status int, header http.Header, operation func(*http.Request) bool) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		left := make(chan struct{}, n)
		for range n {
			left <- struct{}{}
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if operation(r) {
				select {
				case <-left:
					_, _ = io.Copy(io.Discard, r.Body)
					for name := range header {
						w.Header().Set(name, header.Get(name))
					}
					w.WriteHeader(status)
					code := map[int]string{http.StatusServiceUnavailable: "SlowDown", http.StatusForbidden: "AccessDenied"}[status]
					_, _ = io.WriteString(w, "<Error><Code>"+code+"</Code><Message>No.</Message></Error>")
					return
				default:
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}

func anything(*http.Request) bool { return true }

func completion(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Query().Has("uploadId")
}
