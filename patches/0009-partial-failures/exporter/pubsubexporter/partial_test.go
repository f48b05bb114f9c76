//go:build ignore

package pubsubexporter

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/pubsub"                //nolint:staticcheck // that is the one
	"cloud.google.com/go/pubsub/apiv1/pubsubpb" //nolint:staticcheck // that is the one
	"cloud.google.com/go/pubsub/pstest"         //nolint:staticcheck // that is the one
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// A retry publishes the messages that failed.
func TestExporter_RetryPublishesWhatWasNotTaken(t *testing.T) {
	ctx := context.Background()
	gate := make(chan struct{})
	var mutex sync.Mutex
	failures := 0
	// busy fails twice with the message of user 3.
	busy := func(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker,
		opts ...grpc.CallOption) error {
		if publish, ok := req.(*pubsubpb.PublishRequest); ok {
			hold(gate)
			mutex.Lock()
			fails := failures < 2 && slices.Contains(users(publish.Messages), "3")
			if fails {
				failures++
			}
			mutex.Unlock()
			if fails {
				return status.Error(codes.PermissionDenied, "not yet")
			}
		}
		return invoke(ctx, method, req, reply, conn, opts...)
	}
	server := pstest.NewServer()
	t.Cleanup(func() { _ = server.Close() })
	conn, err := grpc.NewClient(server.Addr, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithUnaryInterceptor(busy))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	client, err := pubsub.NewClient(ctx, "fake-project", option.WithGRPCConn(conn))
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	_, err = client.CreateTopic(ctx, "fake-topic")
	require.NoError(t, err)

	settings := pubsub.DefaultPublishSettings
	settings.CountThreshold = 1 // a message a request
	exportInTwo(&Exporter{Topic: "fake-topic", PublishSettings: &settings,
		newClientFunc: func(context.Context, string, ...option.ClientOption) (*pubsub.Client, error) {
			return client, nil
		}}, gate)
	var published []*pubsubpb.PubsubMessage
	for _, message := range server.Messages() {
		published = append(published, &pubsubpb.PubsubMessage{Data: message.Data})
	}
	assert.ElementsMatch(t, []string{"gate", "1", "2", "3", "4", "5"}, users(published))
}

func users(messages []*pubsubpb.PubsubMessage) (keys []string) {
	for _, message := range messages {
		var event exporter.FeatureEvent
		_ = json.Unmarshal(message.Data, &event)
		keys = append(keys, event.UserKey)
	}
	return keys
}

// exportInTwo has a Manager export an event by itself, and then five in one batch.
func exportInTwo(e *Exporter, gate chan struct{}) {
	manager := exporter.NewManager[exporter.FeatureEvent](
		[]exporter.Config{{FlushInterval: time.Hour, Exporter: e}}, time.Hour, nil)
	manager.AddEvent(exporter.FeatureEvent{UserKey: "gate", Value: true})
	gate <- struct{}{}
	for _, key := range []string{"1", "2", "3", "4", "5"} {
		manager.AddEvent(exporter.FeatureEvent{UserKey: key, Value: true})
	}
	close(gate)
	manager.Stop()
}

// hold keeps the first event until the others are there.
func hold(gate chan struct{}) {
	<-gate
	<-gate
}
