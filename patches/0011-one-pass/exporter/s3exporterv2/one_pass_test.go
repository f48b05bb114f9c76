//go:build ignore

package s3exporterv2

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"math"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// partsBucket keeps what is uploaded, in one request or in parts, and knows the largest request.
type partsBucket struct {
	mutex sync.Mutex
	parts map[string]string // by query
	keys  map[string]bool
}

func (b *partsBucket) Do(request *http.Request) (*http.Response, error) {
	var body []byte
	if request.Body != nil {
		body, _ = io.ReadAll(request.Body)
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	answer, query := "", request.URL.Query()
	switch {
	case request.Method == http.MethodPost && query.Has("uploads"):
		answer = "<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>"
	case request.Method == http.MethodPost:
		answer = "<CompleteMultipartUploadResult><ETag>1</ETag></CompleteMultipartUploadResult>"
		b.keys[request.URL.Path] = true
	case request.Method == http.MethodPut:
		b.parts[query.Get("partNumber")] = string(body)
		b.keys[request.URL.Path] = true
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Etag": {`"1"`}},
		Body: io.NopCloser(strings.NewReader(answer)), Request: request}, nil
}

func exporterTo(bucket *partsBucket, format string) *Exporter {
	bucket.parts, bucket.keys = map[string]string{}, map[string]bool{}
	return &Exporter{
		Bucket: "bucket", S3Path: "path", Format: format, AwsConfig: &aws.Config{},
		S3ClientOptions: []func(*s3.Options){func(o *s3.Options) {
			o.Region, o.HTTPClient, o.UsePathStyle = "eu-west-1", bucket, true
			o.Credentials = aws.AnonymousCredentials{}
			o.BaseEndpoint = aws.String("http://bucket.test") // with TLS, checksums would follow the content
		}},
	}
}

// The events go straight into the upload: there is no folder for temporary files in this test.
func TestS3_UploadsWithoutTemporaryFile(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	t.Setenv("TMP", filepath.Join(t.TempDir(), "missing"))
	var log bytes.Buffer
	logger := &fflog.FFLogger{LeveledLogger: slog.New(slog.NewTextHandler(&log, nil))}
	good, poison := exporter.FeatureEvent{Key: "flag", Value: "YO"}, exporter.FeatureEvent{Key: "flag", Value: math.NaN()}
	line, err := good.FormatInJSON()
	require.NoError(t, err)

	var bucket partsBucket
	f := exporterTo(&bucket, "json")
	events := []exporter.ExportableEvent{good, poison, good}
	require.NoError(t, f.Export(context.Background(), logger, events))
	require.NoError(t, f.Export(context.Background(), logger, []exporter.ExportableEvent{poison}), "nothing is left")
	assert.Len(t, bucket.keys, 1)
	assert.Equal(t, map[string]string{"": string(line) + string(line)}, bucket.parts)
	assert.Equal(t, 2, strings.Count(log.String(), "unsupported value: NaN"))

	f = exporterTo(&bucket, "parquet")
	require.NoError(t, f.Export(context.Background(), logger, []exporter.ExportableEvent{good}))
	assert.True(t, strings.HasPrefix(bucket.parts[""], "PAR1") && strings.HasSuffix(bucket.parts[""], "PAR1"))
}

// A batch that is too large for one request is encoded part by part.
func TestS3_UploadsInParts(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	t.Setenv("TMP", filepath.Join(t.TempDir(), "missing"))
	const n = 2200
	event := exporter.FeatureEvent{UserKey: strings.Repeat("u", 10_000), Value: true}
	line, err := event.FormatInJSON()
	require.NoError(t, err)
	events := make([]exporter.ExportableEvent, n)
	for i := range events {
		events[i] = event
	}
	var bucket partsBucket
	f := exporterTo(&bucket, "json")
	logger := &fflog.FFLogger{LeveledLogger: slog.New(slog.DiscardHandler)}
	require.NoError(t, f.Export(context.Background(), logger, events))
	assert.Len(t, bucket.keys, 1)
	var content strings.Builder
	for _, number := range []string{"1", "2", "3"} {
		content.WriteString(bucket.parts[number])
	}
	assert.Len(t, bucket.parts, 3)
	assert.True(t, strings.Repeat(string(line), n) == content.String(), "the parts are the batch")
}
