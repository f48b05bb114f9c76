//go:build ignore

package pubsubexporter

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"cloud.google.com/go/pubsub" //nolint:staticcheck // that is the one
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Two data exporters with the same Exporter share a client, and it outlives the Export that has made it.
func TestExporter_MakesOneClientThatLasts(t *testing.T) {
	conn, err := grpc.NewClient("passthrough:///nowhere", grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })

	var made atomic.Int64
	var clientContext context.Context
	e := &Exporter{ProjectID: "fake-project", Topic: "fake-topic",
		newClientFunc: func(ctx context.Context, project string, _ ...option.ClientOption) (*pubsub.Client, error) {
			made.Add(1)
			clientContext = ctx
			return pubsub.NewClient(ctx, project, option.WithGRPCConn(conn))
		}}
	var exports sync.WaitGroup
	for range 8 {
		exports.Add(1)
		go func() {
			defer exports.Done()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			assert.NoError(t, e.Export(ctx, nil, nil))
		}()
	}
	exports.Wait()
	assert.EqualValues(t, 1, made.Load())
	assert.NoError(t, clientContext.Err())
}
