package matrix

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/offlock/offlock/exporter/s3"
	"github.com/offlock/offlock/exporter/s3/s3test"
)

// bucket is an S3 exporter and the server that it sends to.
type bucket struct {
	*s3.Exporter
	server *s3test.Server
}

// newBucket makes two exporters for one bucket: one whose server has the fault, and one whose server is well.
func newBucket(t *testing.T, f fault, hang <-chan struct{}) (unwell, well target) {
	server := &s3test.Server{}
	front := httptest.NewUnstartedServer(&broken{server: server, fault: f, hang: hang})
	front.Config.ErrorLog = log.New(io.Discard, "", 0) // panics are a fault
	front.StartTLS()
	t.Cleanup(front.Close)
	t.Cleanup(front.CloseClientConnections)
	back := httptest.NewTLSServer(server)
	t.Cleanup(back.Close)
	return newS3(t, front, server), newS3(t, back, server)
}

func newS3(t *testing.T, front *httptest.Server, server *s3test.Server) *bucket {
	t.Helper()
	x, err := s3.New(s3.Options{
		Bucket: "flags",
		AwsConfig: &aws.Config{
			Region: "eu-west-1", BaseEndpoint: aws.String(front.URL), HTTPClient: front.Client(),
			Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
		},
		S3ClientOptions: []func(*awss3.Options){func(o *awss3.Options) {
			o.UsePathStyle = true
			o.Retryer = aws.NopRetryer{} // so that a fault is seen by what is above the exporter
		}},
		AttemptTimeout: callTimeout / 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	return &bucket{x, server}
}

func (b *bucket) stored(t *testing.T) map[string]int {
	t.Helper()
	for _, problem := range b.server.Problems() {
		if !strings.HasPrefix(problem, "IncompleteBody") { // a request that was given up
			t.Errorf("the server refused a request: %s", problem)
		}
	}
	return count(func(yield func([]string) bool) {
		for name, object := range b.server.Objects() {
			users, err := usersOf(object.Body)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if !yield(users) {
				return
			}
		}
	})
}

func (b *bucket) setAside() int { return int(b.Stats().Refused) }

// broken has the fault in the first requests.
type broken struct {
	server *s3test.Server
	fault  fault
	hang   <-chan struct{}

	mu    sync.Mutex // guards calls
	calls int
}

func (b *broken) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	b.calls++
	unwell := b.calls <= b.fault.calls
	b.mu.Unlock()
	switch {
	case !unwell:
		b.server.ServeHTTP(w, r)
	case b.fault.hangs:
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-b.hang:
		case <-r.Context().Done():
		}
	case b.fault.before != nil:
		_, _ = io.Copy(io.Discard, r.Body)              // before that, the end of a client is not seen
		if b.fault.before(r.Context(), b.hang) != nil { // a panic ends the connection
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	case b.fault.part == 100:
		b.server.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	default: // a part of the request is all that is read
		_, _ = io.CopyN(io.Discard, r.Body, r.ContentLength*int64(b.fault.part)/100)
		panic(http.ErrAbortHandler)
	}
}
