//go:build ignore

package gcstorageexporter_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/exporter/gcstorageexporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
	"google.golang.org/api/option"
)

// Two exporters upload to the same bucket: no object takes the place of another one.
func TestGoogleStorage_BatchesDoNotOverwriteEachOther(t *testing.T) {
	tests := []struct {
		name     string
		filename string
		want     string // of every name
	}{
		{name: "default", want: "^path/flag-variation-.*-[0-9]{31}\\.json$"},
		{name: "template with a batch", filename: "{{ .Timestamp}}.{{ .Batch}}.{{ .Format}}",
			want: "^path/[0-9]{10}\\.[0-9]{21}\\.json$"},
		{name: "template with neither", filename: "events.{{ .Format}}", want: "^path/events-[0-9]{21}\\.json$"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const batches = 10
			var mutex sync.Mutex
			objects := map[string]struct{}{}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mutex.Lock()
				objects[r.URL.Query().Get("name")] = struct{}{}
				mutex.Unlock()
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(`{"bucket":"test","name":"stored"}`))
			}))
			defer server.Close()

			var exporters [2]*gcstorageexporter.Exporter
			for i := range exporters {
				exporters[i] = &gcstorageexporter.Exporter{
					Bucket: "test", Path: "path", Filename: tt.filename,
					Options: []option.ClientOption{
						option.WithEndpoint(server.URL), option.WithHTTPClient(server.Client()),
					},
				}
			}
			for i := range batches {
				require.NoError(t, exporters[i%len(exporters)].Export(
					context.Background(), &fflog.FFLogger{LeveledLogger: slog.Default()},
					[]exporter.ExportableEvent{exporter.FeatureEvent{Kind: "feature", Key: "random-key", Value: "YO"}}))
			}

			mutex.Lock()
			defer mutex.Unlock()
			assert.Len(t, objects, batches)
			for name := range objects {
				assert.Regexp(t, tt.want, name)
			}
		})
	}
}
