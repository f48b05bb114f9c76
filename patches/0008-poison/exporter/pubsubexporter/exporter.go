//go:build ignore

package pubsubexporter

import (
	"context"
	"encoding/json"
	"errors"

	"cloud.google.com/go/pubsub" //nolint:staticcheck // that is the one
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// Export publishes a message for each event. Events that PubSub never takes are set aside.
func (e *Exporter) Export(
	ctx context.Context,
	logger *fflog.FFLogger,
	events []exporter.ExportableEvent,
) error {
	if err := e.initPublisher(ctx); err != nil {
		return err
	}

	var refused []exporter.Refused
	defer func() { exporter.SetAside(ctx, logger, refused...) }()
	for i, event := range events {
		body, err := json.Marshal(event)
		if err != nil {
			refused = append(refused, exporter.Refused{Index: i, Event: event, Err: err})
			continue
		}
		message := &pubsub.Message{Data: body, Attributes: map[string]string{"emitter": "GO Feature Flag"}}
		_, err = e.publisher.Publish(ctx, message).Get(ctx)
		if errors.Is(err, pubsub.ErrOversizedMessage) {
			refused = append(refused, exporter.Refused{Index: i, Event: event, Err: err})
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}
