//go:build ignore

package fileexporter_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/exporter/fileexporter"
)

// One exporter is given to the managers of several clients, each with two data exporters, which all export at once.
func TestFile_SharedByDataExporters(t *testing.T) {
	for _, format := range []string{"", "JSON", "csv", "Parquet"} {
		t.Run(format, func(t *testing.T) {
			const clients, consumers, size, events = 4, 2, 10, 100
			dir := t.TempDir()
			shared := &fileexporter.Exporter{Format: format, OutputDir: dir, Filename: "events"}
			config := exporter.Config{Exporter: shared, MaxEventInMemory: size, FlushInterval: time.Hour}
			var running sync.WaitGroup
			for range clients {
				running.Go(func() {
					manager := exporter.NewManager[exporter.FeatureEvent](
						[]exporter.Config{config, config}, time.Hour, nil)
					for i := range events {
						manager.AddEvent(exporter.FeatureEvent{Key: "flag", Value: i})
					}
					manager.Stop()
				})
			}
			running.Wait()

			paths, err := filepath.Glob(filepath.Join(dir, "events*"))
			require.NoError(t, err)
			rows := 0
			for _, path := range paths {
				if format == "Parquet" {
					rows += countParquetRows(t, path)
					continue
				}
				content, err := os.ReadFile(path)
				require.NoError(t, err)
				for line := range bytes.Lines(content) {
					rows++
					if format != "csv" {
						assert.True(t, json.Valid(line), "%q", line)
					}
				}
			}
			assert.Equal(t, clients*consumers*events, rows)
		})
	}
}
