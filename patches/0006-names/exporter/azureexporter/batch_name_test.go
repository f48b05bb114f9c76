//go:build ignore

package azureexporter_test

import (
	"context"
	"encoding/base64"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/exporter/azureexporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// Two exporters upload to the same container: no blob takes the place of another one.
func TestAzureBlobStorage_BatchesDoNotOverwriteEachOther(t *testing.T) {
	tests := []struct {
		name     string
		filename string
		want     string // of every name
	}{
		{name: "default", want: "^path/flag-variation-.*-[0-9]{31}\\.json$"},
		{name: "timestamp before the hostname", filename: "{{ .Timestamp}}-{{ .Hostname}}.{{ .Format}}",
			want: "^path/[0-9]{31}-.*\\.json$"},
		{name: "template with a batch", filename: "{{ .Timestamp}}.{{ .Batch}}.{{ .Format}}",
			want: "^path/[0-9]{10}\\.[0-9]{21}\\.json$"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const batches = 10
			var mutex sync.Mutex
			blobs := map[string]struct{}{}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mutex.Lock()
				blobs[strings.TrimPrefix(r.URL.Path, "/account/container/")] = struct{}{}
				mutex.Unlock()
				w.WriteHeader(http.StatusCreated)
			}))
			defer server.Close()

			var exporters [2]*azureexporter.Exporter
			for i := range exporters {
				exporters[i] = &azureexporter.Exporter{
					Container: "container", Path: "path", Filename: tt.filename, ServiceURL: server.URL + "/account",
					AccountName: "account", AccountKey: base64.StdEncoding.EncodeToString([]byte("key")),
				}
			}
			for i := range batches {
				require.NoError(t, exporters[i%len(exporters)].Export(
					context.Background(), &fflog.FFLogger{LeveledLogger: slog.Default()},
					[]exporter.ExportableEvent{exporter.FeatureEvent{Kind: "feature", Key: "random-key", Value: "YO"}}))
			}

			mutex.Lock()
			defer mutex.Unlock()
			assert.Len(t, blobs, batches)
			for name := range blobs {
				assert.Regexp(t, tt.want, name)
			}
		})
	}
}
