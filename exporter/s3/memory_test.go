//go:build !race

package s3_test

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/offlock/offlock/exporter/s3"
)

// sink takes requests as they are sent, and looks at the heap while they are.
type sink struct {
	base int64
	peak *atomic.Int64 // above base, of what can be reached
}

func (s sink) Do(r *http.Request) (*http.Response, error) {
	body := ""
	switch query := r.URL.Query(); {
	case query.Has("uploads"):
		body = "<InitiateMultipartUploadResult><UploadId>upload</UploadId></InitiateMultipartUploadResult>"
	case r.Method == http.MethodPost:
		body = "<CompleteMultipartUploadResult><Key>key</Key></CompleteMultipartUploadResult>"
	}
	if r.Body != nil {
		for now := reachable() - s.base; ; {
			if old := s.peak.Load(); now <= old || s.peak.CompareAndSwap(old, now) {
				break
			}
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return nil, err
		}
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Etag": {`"etag"`}}, Request: r,
		ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

func reachable() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// The memory of an upload has the bound that the package promises, however large the batch.
func TestMemory(t *testing.T) {
	for _, test := range []struct {
		name        string
		compression s3.Compression
		events      int
		atMost      int64
	}{
		{"one part", s3.None, 10_000, 2*s3.DefaultPartSize + 1<<20},
		{"three parts", s3.None, 60_000, 16 << 20},
		{"five parts", s3.None, 120_000, 16 << 20},
		{"gzip", s3.Gzip, 120_000, 3 << 20},
		{"zstd", s3.Zstd, 120_000, 4 << 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			batch := events(0, test.events)
			var peak atomic.Int64
			e := start(t)
			reachable() // what pools keep from other tests goes
			cfg := *e.options.AwsConfig
			cfg.HTTPClient = sink{reachable(), &peak}
			cfg.BaseEndpoint = aws.String("https://s3.test")
			x := e.exporter(t, func(o *s3.Options) { o.AwsConfig, o.Compression = &cfg, test.compression })
			if err := x.Export(t.Context(), e.logger, batch); err != nil {
				t.Fatal(err)
			}
			if p := peak.Load(); p > test.atMost || p <= 0 {
				t.Errorf("%d bytes at most, promised are %d", p, test.atMost)
			} else {
				t.Logf("%.1f MiB at most", float64(p)/(1<<20))
			}
			runtime.KeepAlive(batch)
		})
	}
}
