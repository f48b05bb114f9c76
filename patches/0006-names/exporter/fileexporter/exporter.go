//go:build ignore

package fileexporter

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

//offlock:fields after ParquetCompressionCodec
type Exporter struct {

	// FilePerBatch writes every exported batch to a file of its own instead of appending to a file of the same name:
	// see exporter.ComputeBatchFilename for what makes its name unique. Parquet files are always written like this, and
	// so are all files if the Filename contains {{ .Batch}}.
	// Default: false
	FilePerBatch bool
}

// Export writes the events to a file: at the end of the one that is there, or to one of their own (see FilePerBatch),
// which has the same name, and is written from the start, when the same batch is exported again.
func (f *Exporter) Export(ctx context.Context, _ *fflog.FFLogger, events []exporter.ExportableEvent) error {
	f.initTemplates.Do(f.parseTemplates)
	f.Format = strings.ToLower(cmp.Or(f.Format, "json"))
	filePath, err := f.nextPath(ctx)
	if err != nil {
		return err
	}
	if f.Format == "parquet" {
		return f.writeParquet(filePath, events)
	}
	return f.writeFile(filePath, events)
}

func (f *Exporter) parseTemplates() {
	f.csvTemplate = exporter.ParseTemplate("csvFormat", f.CsvTemplate, exporter.DefaultCsvTemplate)
	f.filenameTemplate = exporter.ParseTemplate("filenameFormat", f.Filename, exporter.DefaultFilenameTemplate)
}

// ownFile tells whether a file holds one batch alone.
func (f *Exporter) ownFile() bool {
	// a parquet file cannot be appended to: without a name of its own it would replace the one before it
	return f.FilePerBatch || f.Format == "parquet" || strings.Contains(f.filenameTemplate.Root.String(), ".Batch")
}

// nextPath returns where the events go. It makes the folder if it is missing.
func (f *Exporter) nextPath(ctx context.Context) (string, error) {
	var filename string
	var err error
	if f.ownFile() {
		filename, err = exporter.ComputeBatchFilename(ctx, f.filenameTemplate, f.Format)
	} else {
		filename, err = exporter.ComputeFilename(f.filenameTemplate, f.Format)
	}
	folder := strings.TrimRight(f.OutputDir, "/")
	if err != nil || folder == "" {
		return filename, err
	}
	if err := os.MkdirAll(folder, 0755); err != nil { //nolint:gosec
		return "", fmt.Errorf("failed to create output directory: %v", err)
	}
	return filepath.Join(folder, filename), nil
}

//offlock:replace Exporter.writeFile 991443c99919
func _() {
	// what an attempt before this one has left of the batch is written again
	mode := os.O_APPEND
	if f.ownFile() {
		mode = os.O_TRUNC
	}
	//nolint:gosec
	file, err := os.OpenFile(filePath, mode|os.O_CREATE|os.O_WRONLY, 0o644)
}
