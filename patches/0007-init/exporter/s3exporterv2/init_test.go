//go:build ignore

package s3exporterv2

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// bucketHost takes every object.
type bucketHost struct{ requests int }

func (b *bucketHost) Do(request *http.Request) (*http.Response, error) {
	b.requests++
	if request.Body != nil {
		_, _ = io.Copy(io.Discard, request.Body)
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Etag": {`"1"`}},
		Body: io.NopCloser(strings.NewReader("")), Request: request}, nil
}

// A profile that does not exist fails every Export in the same way. When it exists, the next Export gets through.
func TestS3_InitialisesAgainAfterAFailure(t *testing.T) {
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "missing"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "missing"))
	t.Setenv("AWS_PROFILE", "missing")
	host := &bucketHost{}
	f := &Exporter{
		Bucket: "test",
		S3ClientOptions: []func(*s3.Options){func(o *s3.Options) {
			o.Region, o.HTTPClient = "eu-west-1", host
			o.Credentials = aws.AnonymousCredentials{}
		}},
	}
	export := func() (err error) {
		require.NotPanics(t, func() {
			err = f.Export(context.Background(), &fflog.FFLogger{LeveledLogger: slog.Default()},
				[]exporter.ExportableEvent{exporter.FeatureEvent{Kind: "feature", Key: "random-key", Value: "YO"}})
		})
		return err
	}

	for range 3 {
		assert.ErrorContains(t, export(), "impossible to init S3 exporter")
	}
	assert.Zero(t, host.requests)

	t.Setenv("AWS_PROFILE", "")
	assert.NoError(t, export())
	assert.NotZero(t, host.requests)
}
