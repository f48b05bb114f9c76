//go:build ignore

package fileexporter_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/exporter/fileexporter"
	"github.com/xitongsys/parquet-go-source/local"
	"github.com/xitongsys/parquet-go/reader"
)

func batchOf(n int) []exporter.ExportableEvent {
	events := make([]exporter.ExportableEvent, n)
	for i := range events {
		events[i] = exporter.FeatureEvent{Kind: "feature", Key: "random-key", Variation: "Default", Value: "YO"}
	}
	return events
}

// exportBatches has two exporters write batches into the same folder, within the same second or two, and returns the
// paths of the files that this leaves.
func exportBatches(t *testing.T, format, filename string, batches, size int) []string {
	t.Helper()
	dir := t.TempDir()
	exporters := [2]*fileexporter.Exporter{
		{Format: format, OutputDir: dir, Filename: filename},
		{Format: format, OutputDir: dir, Filename: filename},
	}
	for i := range batches {
		require.NoError(t, exporters[i%len(exporters)].Export(context.Background(), nil, batchOf(size)))
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	return paths
}

func countParquetRows(t *testing.T, path string) int {
	t.Helper()
	file, err := local.NewLocalFileReader(path)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	rows, err := reader.NewParquetReader(file, new(exporter.FeatureEvent), 1)
	require.NoError(t, err)
	defer rows.ReadStop()
	return int(rows.GetNumRows())
}

func TestFile_ParquetBatchesDoNotReplaceEachOther(t *testing.T) {
	host, err := os.Hostname()
	require.NoError(t, err)
	host = regexp.QuoteMeta(host)
	tests := []struct {
		name     string
		filename string
		want     string // of every name
	}{
		{name: "default", want: "^flag-variation-" + host + "-[0-9]{31}\\.parquet$"},
		{name: "timestamp in the middle", filename: "at-{{ .Timestamp}}-{{ .Hostname}}.{{ .Format}}",
			want: "^at-[0-9]{31}-" + host + "\\.parquet$"},
		{name: "timestamp and batch", filename: "{{ .Timestamp}}_{{ .Batch}}.{{ .Format}}",
			want: "^[0-9]{10}_[0-9]{21}\\.parquet$"},
		{name: "neither", filename: "events.{{ .Format}}", want: "^events-[0-9]{21}\\.parquet$"},
		{name: "nothing to fill in", filename: "events", want: "^events-[0-9]{21}$"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const batches, size = 10, 100
			paths := exportBatches(t, "parquet", tt.filename, batches, size)
			assert.Len(t, paths, batches)
			rows := 0
			for _, path := range paths {
				assert.Regexp(t, tt.want, filepath.Base(path))
				rows += countParquetRows(t, path)
			}
			assert.Equal(t, batches*size, rows, "events that are in a file")
		})
	}
}

// A local JSON or CSV file is appended to, so batches share it unless the template tells them apart.
func TestFile_TextBatches(t *testing.T) {
	tests := []struct {
		name      string
		format    string
		filename  string
		wantFiles int
	}{
		{name: "one JSON file", format: "json", filename: "events.{{ .Format}}", wantFiles: 1},
		{name: "one CSV file", format: "csv", filename: "events.{{ .Format}}", wantFiles: 1},
		{name: "a JSON file a batch", format: "json", filename: "events-{{ .Batch}}.{{ .Format}}", wantFiles: 10},
		{name: "a CSV file a batch", format: "csv", filename: "events-{{ .Batch}}.{{ .Format}}", wantFiles: 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const batches, size = 10, 100
			paths := exportBatches(t, tt.format, tt.filename, batches, size)
			assert.Len(t, paths, tt.wantFiles)
			lines := 0
			for _, path := range paths {
				content, err := os.ReadFile(path)
				require.NoError(t, err)
				lines += bytes.Count(content, []byte("\n"))
			}
			assert.Equal(t, batches*size, lines, "events that are in a file")
		})
	}
}
