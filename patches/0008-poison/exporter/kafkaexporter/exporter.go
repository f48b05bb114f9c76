//go:build ignore

package kafkaexporter

import (
	"context"
	"errors"
	"fmt"

	"github.com/IBM/sarama"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// Export sends a message for each event to the topic, encoded in the selected format, and waits until they are taken.
// Events that Kafka never takes are set aside.
func (e *Exporter) Export(
	ctx context.Context,
	logger *fflog.FFLogger,
	events []exporter.ExportableEvent,
) error {
	if err := e.initializeProducer(); err != nil {
		return fmt.Errorf("writer: %w", err)
	}

	var refused []exporter.Refused
	defer func() { exporter.SetAside(ctx, logger, refused...) }()
	var messages []*sarama.ProducerMessage
	places := map[*sarama.ProducerMessage]int{}
	for i, event := range events {
		message, err := e.newMessage(event)
		if err != nil {
			refused = append(refused, exporter.Refused{Index: i, Event: event, Err: err})
			continue
		}
		messages, places[message] = append(messages, message), i
	}
	failed, err := e.send(messages), error(nil)
	for _, message := range messages {
		i := places[message]
		switch reason := failed[message]; {
		case errors.Is(reason, sarama.ErrMessageSizeTooLarge):
			refused = append(refused, exporter.Refused{Index: i, Event: events[i], Err: reason})
		case reason != nil && err == nil:
			err = fmt.Errorf("send: %w", reason)
		}
	}
	return err
}

// newMessage returns an error for an event that the producer will not send.
func (e *Exporter) newMessage(event exporter.ExportableEvent) (*sarama.ProducerMessage, error) {
	data, err := e.formatMessage(event)
	if err != nil {
		return nil, fmt.Errorf("format: %w", err)
	}
	message := &sarama.ProducerMessage{
		Topic: e.Settings.Topic, Key: sarama.StringEncoder(event.GetUserKey()), Value: sarama.ByteEncoder(data),
	}
	if config := e.Settings.Config; config != nil {
		version := 1
		if config.Version.IsAtLeast(sarama.V0_11_0_0) {
			version = 2
		}
		if n := message.ByteSize(version); n > config.Producer.MaxMessageBytes {
			return nil, fmt.Errorf("format: the message has %d bytes, and Producer.MaxMessageBytes is %d",
				n, config.Producer.MaxMessageBytes)
		}
	}
	return message, nil
}

// send returns the errors of the messages that were not taken: sarama.ErrMessageSizeTooLarge only for those that are.
func (e *Exporter) send(messages []*sarama.ProducerMessage) map[*sarama.ProducerMessage]error {
	failed := e.sendOnce(messages)
	if len(messages) == 1 {
		return failed
	}
	for _, message := range messages {
		// The broker says so of all messages that came together, so each has to be tried by itself.
		if errors.Is(failed[message], sarama.ErrMessageSizeTooLarge) {
			failed[message] = e.sendOnce([]*sarama.ProducerMessage{message})[message]
		}
	}
	return failed
}

// sendOnce returns the errors of the messages that were not taken.
func (e *Exporter) sendOnce(messages []*sarama.ProducerMessage) map[*sarama.ProducerMessage]error {
	failed := map[*sarama.ProducerMessage]error{}
	if len(messages) == 0 {
		return failed
	}
	err := e.sender.SendMessages(messages)
	if some := (sarama.ProducerErrors)(nil); errors.As(err, &some) {
		for _, failure := range some {
			failed[failure.Msg] = failure.Err
		}
	} else if err != nil {
		for _, message := range messages {
			failed[message] = err
		}
	}
	return failed
}
