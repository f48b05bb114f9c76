//go:build ignore

package sqsexporter

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/assert"
	"github.com/thomaspoignant/go-feature-flag/exporter"
)

type countingService struct{ messages atomic.Int64 }

func (c *countingService) SendMessage(context.Context, *sqs.SendMessageInput, ...func(*sqs.Options),
) (*sqs.SendMessageOutput, error) {
	c.messages.Add(1)
	return &sqs.SendMessageOutput{}, nil
}

// Of two data exporters with the same Exporter, one may fill in its configuration while the other reads it: a matter
// for the race detector, which does not see it every time.
func TestExporter_InitialisesForSeveral(t *testing.T) {
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "missing"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "missing"))
	for round := 0; round < 20 && !t.Failed(); round++ {
		service := &countingService{}
		f := &Exporter{QueueURL: "https://sqs.eu-west-1.amazonaws.com/XXX/test-queue", sqsService: service}
		var exports sync.WaitGroup
		for range 8 {
			exports.Add(1)
			go func() {
				defer exports.Done()
				assert.NoError(t, f.Export(context.Background(), nil,
					[]exporter.ExportableEvent{exporter.FeatureEvent{Kind: "feature", Value: "YO"}}))
			}()
		}
		exports.Wait()
		assert.EqualValues(t, 8, service.messages.Load())
		assert.NotNil(t, f.AwsConfig)
	}
}
