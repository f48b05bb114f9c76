//go:build ignore

package bigqueryexporter

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"google.golang.org/api/option"
)

// A failure to make the client is tried again, and the client outlives the Export that has made it.
func TestExporter_InitialisesAgainAfterAFailure(t *testing.T) {
	errCredentials := errors.New("no credentials yet")
	client := newMockBigQueryClient()
	made := 0
	var clientContext context.Context
	e := &Exporter{newClientFunc: func(ctx context.Context, _ string, _ ...option.ClientOption) (bigQueryClient, error) {
		if made++; made <= 2 {
			return nil, errCredentials
		}
		clientContext = ctx
		return client, nil
	}}
	export := func() error {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		return e.Export(ctx, nil, []exporter.ExportableEvent{exporter.FeatureEvent{Kind: "feature", Value: true}})
	}

	assert.ErrorIs(t, export(), errCredentials)
	assert.ErrorIs(t, export(), errCredentials)
	assert.NoError(t, export())
	assert.NoError(t, export())
	assert.Equal(t, 3, made)
	if assert.NotNil(t, clientContext) {
		assert.NoError(t, clientContext.Err())
	}
}
