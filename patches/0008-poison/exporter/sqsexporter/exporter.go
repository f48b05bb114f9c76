//go:build ignore

package sqsexporter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// maxMessageBytes is the most that any queue takes, attributes included. A queue can be set to less.
const maxMessageBytes = 1024 * 1024

// Export sends a message for each event. Events that the queue never takes are set aside.
func (f *Exporter) Export(
	ctx context.Context,
	logger *fflog.FFLogger,
	events []exporter.ExportableEvent,
) error {
	if err := f.initService(ctx); err != nil {
		return err
	}
	if f.QueueURL == "" {
		return errors.New("impossible to init SQS exporter: QueueURL is a mandatory parameter")
	}

	var refused []exporter.Refused
	defer func() { exporter.SetAside(ctx, logger, refused...) }()
	for i, event := range events {
		err := f.send(ctx, event)
		if never := (*refusal)(nil); errors.As(err, &never) {
			refused = append(refused, exporter.Refused{Index: i, Event: event, Err: never.reason})
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// refusal is the error of an event that the queue never takes.
type refusal struct{ reason error }

func (r *refusal) Error() string { return r.reason.Error() }

func (f *Exporter) send(ctx context.Context, event exporter.ExportableEvent) error {
	body, err := json.Marshal(event)
	if err != nil {
		return &refusal{err}
	}
	if len(body) > maxMessageBytes {
		return &refusal{fmt.Errorf("the message has %d bytes, and at most %d are taken", len(body), maxMessageBytes)}
	}
	emitter := types.MessageAttributeValue{DataType: aws.String("String"), StringValue: aws.String("GO Feature Flag")}
	_, err = f.sqsService.SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl:          aws.String(f.QueueURL),
		MessageBody:       aws.String(string(body)),
		MessageAttributes: map[string]types.MessageAttributeValue{"emitter": emitter},
	})
	if refuses(err) {
		return &refusal{err}
	}
	return err
}

// refuses tells whether an answer of SQS is about what is in the message, so that it will be the same next time.
func refuses(err error) bool {
	if contents := (*types.InvalidMessageContents)(nil); errors.As(err, &contents) {
		return true
	}
	// A message above the queue's own limit has no code to itself.
	var answer smithy.APIError
	return errors.As(err, &answer) && strings.HasSuffix(answer.ErrorCode(), "InvalidParameterValue") &&
		strings.Contains(answer.ErrorMessage(), "must be shorter than")
}
