//go:build ignore

package sqsexporter

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// smallQueue takes messages of up to 1024 bytes, without the character U+FFFF.
type smallQueue struct{ messages []string }

func (q *smallQueue) SendMessage(_ context.Context, in *sqs.SendMessageInput, _ ...func(*sqs.Options),
) (*sqs.SendMessageOutput, error) {
	switch body := *in.MessageBody; {
	case len(body) >= 1024:
		return nil, &smithy.GenericAPIError{Code: "InvalidParameterValue",
			Message: "One or more parameters are invalid. Reason: Message must be shorter than 1024 bytes."}
	case strings.Contains(body, "\uffff"):
		return nil, &types.InvalidMessageContents{Message: aws.String("invalid characters")}
	default:
		q.messages = append(q.messages, body)
		return &sqs.SendMessageOutput{}, nil
	}
}

// What the queue never takes is set aside, and the rest is sent.
func TestExporter_PoisonIsSetAside(t *testing.T) {
	var log bytes.Buffer
	queue := &smallQueue{}
	f := &Exporter{QueueURL: "https://sqs.eu-west-1.amazonaws.com/XXX/test-queue", AwsConfig: &aws.Config{},
		sqsService: queue}
	err := f.Export(context.Background(), &fflog.FFLogger{LeveledLogger: slog.New(slog.NewTextHandler(&log, nil))},
		[]exporter.ExportableEvent{
			exporter.FeatureEvent{Key: "infinite", Value: math.Inf(1)},
			exporter.FeatureEvent{Key: "first", Value: true},
			exporter.FeatureEvent{Key: "too large for the queue", Value: strings.Repeat("x", 1024)},
			exporter.FeatureEvent{Key: "too large for any queue", Value: strings.Repeat("x", 1024*1024)},
			exporter.FeatureEvent{Key: "not a character", Value: "\uffff"},
			exporter.FeatureEvent{Key: "last", Value: true},
		})
	assert.NoError(t, err)
	if assert.Len(t, queue.messages, 2) {
		assert.Contains(t, queue.messages[0], "first")
		assert.Contains(t, queue.messages[1], "last")
	}
	assert.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
	assert.Contains(t, log.String(), "events=4")
	assert.Contains(t, log.String(), "unsupported value: +Inf")
}
