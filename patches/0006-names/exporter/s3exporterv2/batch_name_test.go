//go:build ignore

package s3exporterv2

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/testutils"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// Two exporters upload to the same bucket: no object takes the place of another one.
func TestS3_BatchesDoNotOverwriteEachOther(t *testing.T) {
	tests := []struct {
		name     string
		s3Path   string
		format   string
		filename string
		want     string // of every key
	}{
		{name: "default", want: "/flag-variation-.*-[0-9]{31}\\.json$"},
		{name: "CSV below a path", s3Path: "random/path", format: "csv",
			want: "^random/path/flag-variation-.*-[0-9]{31}\\.csv$"},
		{name: "template with a timestamp", filename: "{{ .Timestamp}}-{{ .Hostname}}.{{ .Format}}",
			want: "/[0-9]{31}-.*\\.json$"},
		{name: "template with a batch", filename: "{{ .Timestamp}}.{{ .Batch}}.{{ .Format}}",
			want: "/[0-9]{10}\\.[0-9]{21}\\.json$"},
		{name: "template with neither", filename: "events.{{ .Format}}", want: "/events-[0-9]{21}\\.json$"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const batches, size = 10, 100
			bucket := testutils.S3ManagerV2Mock{}
			var exporters [2]*Exporter
			for i := range exporters {
				exporters[i] = &Exporter{Bucket: "test", S3Path: tt.s3Path, Format: tt.format, Filename: tt.filename,
					s3Uploader: &bucket}
			}
			events := make([]exporter.ExportableEvent, size)
			for i := range events {
				events[i] = exporter.FeatureEvent{Kind: "feature", Key: "random-key", Value: "YO"}
			}
			for i := range batches {
				require.NoError(t, exporters[i%len(exporters)].Export(
					context.Background(), &fflog.FFLogger{LeveledLogger: slog.Default()}, events))
			}

			assert.Len(t, bucket.S3ManagerMockFileSystem, batches)
			stored := 0
			for key, content := range bucket.S3ManagerMockFileSystem {
				assert.Regexp(t, tt.want, key)
				stored += strings.Count(content, "\n")
			}
			assert.Equal(t, batches*size, stored, "events in the bucket")
		})
	}
}
