//go:build ignore

package azureexporter_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/xml"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/exporter/azureexporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// blobs keeps what is uploaded: in one request, or in blocks and a list of them.
type blobs struct {
	mutex    sync.Mutex
	blocks   map[string]string
	contents []string
}

func (b *blobs) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	b.mutex.Lock()
	defer b.mutex.Unlock()
	switch r.URL.Query().Get("comp") {
	case "block":
		b.blocks[r.URL.Query().Get("blockid")] = string(body)
	case "blocklist":
		var list struct {
			Latest []string
		}
		_ = xml.Unmarshal(body, &list)
		var content strings.Builder
		for _, id := range list.Latest {
			content.WriteString(b.blocks[id])
		}
		b.contents = append(b.contents, content.String())
	default:
		b.contents = append(b.contents, string(body))
	}
	w.WriteHeader(http.StatusCreated)
}

// The events go straight into the upload: there is no folder for temporary files in this test.
func TestAzureBlobStorage_UploadsWithoutTemporaryFile(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	t.Setenv("TMP", filepath.Join(t.TempDir(), "missing"))
	sink := &blobs{blocks: map[string]string{}}
	server := httptest.NewServer(sink)
	defer server.Close()
	var log bytes.Buffer
	logger := &fflog.FFLogger{LeveledLogger: slog.New(slog.NewTextHandler(&log, nil))}
	f := &azureexporter.Exporter{Container: "container", Path: "path", ServiceURL: server.URL + "/account",
		AccountName: "account", AccountKey: base64.StdEncoding.EncodeToString([]byte("key"))}
	good, poison := exporter.FeatureEvent{Key: "flag", Value: "YO"}, exporter.FeatureEvent{Key: "flag", Value: math.NaN()}
	large := exporter.FeatureEvent{UserKey: strings.Repeat("u", 10_000), Value: true}
	goodLine, err := good.FormatInJSON()
	require.NoError(t, err)
	largeLine, err := large.FormatInJSON()
	require.NoError(t, err)

	require.NoError(t, f.Export(context.Background(), logger, []exporter.ExportableEvent{good, poison, good}))
	require.NoError(t, f.Export(context.Background(), logger, []exporter.ExportableEvent{poison}), "nothing is left")
	assert.Equal(t, []string{strings.Repeat(string(goodLine), 2)}, sink.contents)
	assert.Contains(t, log.String(), "unsupported value: NaN")

	const n = 1000 // more than one block
	events := make([]exporter.ExportableEvent, n)
	for i := range events {
		events[i] = large
	}
	require.NoError(t, f.Export(context.Background(), logger, events))
	require.Len(t, sink.contents, 2)
	assert.Greater(t, len(sink.blocks), 1)
	assert.True(t, strings.Repeat(string(largeLine), n) == sink.contents[1], "the blocks are the batch")
}
