package upload

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/exporter/s3exporterv2"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
	"go.uber.org/goleak"

	"github.com/offlock/offlock/exporter/s3"
	"github.com/offlock/offlock/exporter/s3/s3test"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// batchSize is how many events are exported at once.
const batchSize = 100_000

// newBatch makes the events, each with a user of its own.
func newBatch() []ffexporter.ExportableEvent {
	batch := make([]ffexporter.ExportableEvent, batchSize)
	for i := range batch {
		batch[i] = ffexporter.FeatureEvent{
			Kind: "feature", ContextKind: "user", UserKey: fmt.Sprintf("94a25909-20d8-40cc-8500-%012d", i), CreationDate: 1680246000,
			Key: "my-feature-flag", Variation: "enabled", Value: true, Version: "v1.0.0", Source: "SERVER",
		}
	}
	return batch
}

// arms are the exporters, each with its defaults.
var arms = map[string]func(*testing.B, *aws.Config) ffexporter.Exporter{
	"v1.55.2": func(_ *testing.B, cfg *aws.Config) ffexporter.Exporter {
		return &s3exporterv2.Exporter{Bucket: "flags", S3Path: "events", AwsConfig: cfg, S3ClientOptions: pathStyle}
	},
	"offlock":      func(b *testing.B, cfg *aws.Config) ffexporter.Exporter { return ours(b, cfg, s3.None) },
	"offlock-gzip": func(b *testing.B, cfg *aws.Config) ffexporter.Exporter { return ours(b, cfg, s3.Gzip) },
	"offlock-zstd": func(b *testing.B, cfg *aws.Config) ffexporter.Exporter { return ours(b, cfg, s3.Zstd) },
}

var pathStyle = []func(*awss3.Options){func(o *awss3.Options) { o.UsePathStyle = true }}

func ours(b *testing.B, cfg *aws.Config, compression s3.Compression) ffexporter.Exporter {
	x, err := s3.New(s3.Options{
		Bucket: "flags", S3Path: "events", AwsConfig: cfg, S3ClientOptions: pathStyle, Compression: compression,
	})
	if err != nil {
		b.Fatal(err)
	}
	return x
}

func configFor(url string, client aws.HTTPClient) *aws.Config {
	return &aws.Config{
		Region: "eu-west-1", BaseEndpoint: aws.String(url), HTTPClient: client,
		Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
	}
}

// transport takes requests as they are sent, and answers that all is well. It may be called from several goroutines.
type transport struct {
	arrived func() // called when a request with a body begins
}

func (t transport) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		if t.arrived != nil {
			t.arrived()
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return nil, err
		}
		_ = r.Body.Close()
	}
	body := ""
	switch query := r.URL.Query(); {
	case query.Has("uploads"):
		body = "<InitiateMultipartUploadResult><UploadId>upload</UploadId></InitiateMultipartUploadResult>"
	case r.Method == http.MethodPost:
		body = "<CompleteMultipartUploadResult><Key>key</Key></CompleteMultipartUploadResult>"
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Etag": {`"etag"`}}, Request: r,
		ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

// serve runs a server over TLS that keeps nothing.
func serve(b *testing.B) (*s3test.Server, *aws.Config) {
	endpoint := &s3test.Server{Discard: true}
	server := httptest.NewTLSServer(endpoint)
	b.Cleanup(server.Close)
	return endpoint, configFor(server.URL, server.Client())
}

var logger = &fflog.FFLogger{LeveledLogger: slog.New(slog.DiscardHandler)}

func export(b *testing.B, x ffexporter.Exporter, batch []ffexporter.ExportableEvent) {
	if err := x.Export(context.Background(), logger, batch); err != nil {
		b.Fatal(err)
	}
}
