//go:build ignore

package pubsubexporter

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"strings"
	"testing"

	"cloud.google.com/go/pubsub"        //nolint:staticcheck // that is the one
	"cloud.google.com/go/pubsub/pstest" //nolint:staticcheck // that is the one
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// What PubSub never takes is set aside, and the rest is published.
func TestExporter_PoisonIsSetAside(t *testing.T) {
	ctx := context.Background()
	server := pstest.NewServer()
	t.Cleanup(func() { _ = server.Close() })
	conn, err := grpc.NewClient(server.Addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	client, err := pubsub.NewClient(ctx, "fake-project", option.WithGRPCConn(conn))
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	_, err = client.CreateTopic(ctx, "fake-topic")
	require.NoError(t, err)

	var log bytes.Buffer
	e := &Exporter{Topic: "fake-topic",
		newClientFunc: func(context.Context, string, ...option.ClientOption) (*pubsub.Client, error) {
			return client, nil
		}}
	err = e.Export(ctx, &fflog.FFLogger{LeveledLogger: slog.New(slog.NewTextHandler(&log, nil))},
		[]exporter.ExportableEvent{
			exporter.FeatureEvent{Key: "first", Value: true},
			exporter.FeatureEvent{Key: "infinite", Value: math.Inf(1)},
			exporter.FeatureEvent{Key: "too large", Value: strings.Repeat("x", pubsub.MaxPublishRequestBytes)},
			exporter.FeatureEvent{Key: "last", Value: true},
		})
	require.NoError(t, err)
	var published []string
	for _, message := range server.Messages() {
		published = append(published, string(message.Data))
	}
	require.Len(t, published, 2)
	assert.Contains(t, strings.Join(published, ""), "first")
	assert.Contains(t, strings.Join(published, ""), "last")
	assert.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
	assert.Contains(t, log.String(), "events=2")
	assert.Contains(t, log.String(), "unsupported value: +Inf")
}
