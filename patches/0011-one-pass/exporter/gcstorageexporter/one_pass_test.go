//go:build ignore

package gcstorageexporter_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/exporter/gcstorageexporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
	"google.golang.org/api/option"
)

// The events go straight into the upload: there is no folder for temporary files in this test.
func TestGoogleStorage_UploadsWithoutTemporaryFile(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	t.Setenv("TMP", filepath.Join(t.TempDir(), "missing"))
	var uploads [][]byte
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		uploads = append(uploads, body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"name":"object","bucket":"bucket"}`))
	}))
	defer server.Close()
	var log bytes.Buffer
	logger := &fflog.FFLogger{LeveledLogger: slog.New(slog.NewTextHandler(&log, nil))}
	good, poison := exporter.FeatureEvent{Key: "flag", Value: "YO"}, exporter.FeatureEvent{Key: "flag", Value: math.NaN()}
	line, err := good.FormatInJSON()
	require.NoError(t, err)
	f := gcstorageexporter.Exporter{Bucket: "bucket", Options: []option.ClientOption{
		option.WithEndpoint(server.URL), option.WithoutAuthentication(), option.WithHTTPClient(server.Client()),
	}}

	require.NoError(t, f.Export(context.Background(), logger, []exporter.ExportableEvent{good, poison, good}))
	require.NoError(t, f.Export(context.Background(), logger, []exporter.ExportableEvent{poison}), "nothing is left")
	require.Len(t, uploads, 1)
	assert.Contains(t, string(uploads[0]), string(line)+string(line))
	assert.Contains(t, log.String(), "unsupported value: NaN")

	status = http.StatusForbidden
	assert.Error(t, f.Export(context.Background(), logger, []exporter.ExportableEvent{good}))
}
