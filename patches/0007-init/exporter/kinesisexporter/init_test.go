//go:build ignore

package kinesisexporter

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kinesis"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

var errUnplugged = errors.New("unplugged")

// unplugged stands in for the network, and counts the requests.
type unplugged struct{ requests int }

func (u *unplugged) Do(*http.Request) (*http.Response, error) {
	u.requests++
	return nil, errUnplugged
}

// A profile that does not exist fails every Export in the same way. When it exists, the next Export gets through.
func TestExporter_InitialisesAgainAfterAFailure(t *testing.T) {
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "missing"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "missing"))
	t.Setenv("AWS_PROFILE", "missing")
	network := &unplugged{}
	exp := &Exporter{
		Settings: NewSettings(WithStreamName("test-stream")),
		KinesisOptions: []func(*kinesis.Options){func(o *kinesis.Options) {
			o.Region, o.HTTPClient, o.Retryer = "eu-west-1", network, aws.NopRetryer{}
			o.Credentials = aws.AnonymousCredentials{}
		}},
	}
	export := func() (err error) {
		require.NotPanics(t, func() {
			err = exp.Export(context.Background(), &fflog.FFLogger{LeveledLogger: slog.Default()},
				[]exporter.ExportableEvent{NewFeatureEvent()})
		})
		return err
	}

	for range 3 {
		assert.ErrorContains(t, export(), "impossible to init Kinesis exporter")
	}
	assert.Zero(t, network.requests)

	t.Setenv("AWS_PROFILE", "")
	assert.ErrorIs(t, export(), errUnplugged)
	assert.Equal(t, 1, network.requests)
}
