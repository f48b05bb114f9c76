//go:build ignore

package fileexporter_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/exporter/fileexporter"
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

// A batch that is exported again is written to the same file, in the place of the first attempt.
func TestFile_RetryKeepsTheName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		format   string
		filename string
	}{
		{name: "parquet", format: "parquet"},
		{name: "parquet with a fixed name", format: "parquet", filename: "events.{{ .Format}}"},
		{name: "JSON with a batch", format: "json", filename: "{{ .Batch}}.{{ .Format}}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			const batches, size = 5, 10
			dir := t.TempDir()
			manager := exporter.NewManager[exporter.FeatureEvent]([]exporter.Config{{
				Exporter:         forgetful{&fileexporter.Exporter{Format: tt.format, Filename: tt.filename, OutputDir: dir}},
				MaxEventInMemory: size,
			}}, time.Hour, nil)
			stats := func() exporter.ConsumerStats {
				return manager.(exporter.StatsReporter).Stats().Consumers[0]
			}
			for batch := range batches {
				for _, event := range batchOf(size) {
					manager.AddEvent(event.(exporter.FeatureEvent))
				}
				require.Eventually(t, func() bool { return stats().Exported == int64(size*(batch+1)) },
					10*time.Second, 20*time.Millisecond)
			}
			manager.Stop()
			require.EqualValues(t, batches, stats().Failures)

			paths, err := filepath.Glob(filepath.Join(dir, "*"))
			require.NoError(t, err)
			assert.Len(t, paths, batches)
			rows := 0
			for _, path := range paths {
				if tt.format == "parquet" {
					rows += countParquetRows(t, path)
					continue
				}
				content, err := os.ReadFile(path)
				require.NoError(t, err)
				rows += bytes.Count(content, []byte("\n"))
			}
			assert.Equal(t, batches*size, rows, "events that are in a file")
		})
	}
}
