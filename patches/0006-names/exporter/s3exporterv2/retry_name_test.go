//go:build ignore

package s3exporterv2

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/testutils"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// forgetful reports the first attempt of each batch as failed, after it has succeeded.
type forgetful struct{ exporter.Exporter }

func (e forgetful) Export(ctx context.Context, logger *fflog.FFLogger, events []exporter.ExportableEvent) error {
	err := e.Exporter.Export(ctx, logger, events)
	if attempt, ok := exporter.AttemptFrom(ctx); !ok || attempt.Number == 1 {
		return errors.Join(err, errors.New("the answer was lost"))
	}
	return err
}

// An upload whose answer was lost is replaced by the one of the next attempt.
func TestS3_RetryKeepsTheKey(t *testing.T) {
	const batches, size = 5, 10
	bucket := &testutils.S3ManagerV2Mock{}
	manager := exporter.NewManager[exporter.FeatureEvent]([]exporter.Config{{
		Exporter:         forgetful{&Exporter{Bucket: "test", s3Uploader: bucket}},
		MaxEventInMemory: size,
	}}, time.Hour, nil)
	stats := func() exporter.ConsumerStats { return manager.(exporter.StatsReporter).Stats().Consumers[0] }
	for batch := range batches {
		for range size {
			manager.AddEvent(exporter.FeatureEvent{Kind: "feature", Key: "random-key", Value: "YO"})
		}
		require.Eventually(t, func() bool { return stats().Exported == int64(size*(batch+1)) },
			10*time.Second, 20*time.Millisecond)
	}
	manager.Stop()
	require.EqualValues(t, batches, stats().Failures)

	assert.Len(t, bucket.S3ManagerMockFileSystem, batches)
	stored := 0
	for _, content := range bucket.S3ManagerMockFileSystem {
		stored += strings.Count(content, "\n")
	}
	assert.Equal(t, batches*size, stored, "events in the bucket")
}
