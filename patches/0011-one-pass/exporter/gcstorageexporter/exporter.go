//go:build ignore

package gcstorageexporter

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path"

	"cloud.google.com/go/storage"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/exporter/fileexporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// Export uploads the events as one object. They are encoded while they are uploaded.
func (f *Exporter) Export(ctx context.Context, logger *fflog.FFLogger, events []exporter.ExportableEvent) error {
	client, err := storage.NewClient(ctx, f.Options...)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	if f.Bucket == "" {
		return fmt.Errorf("you should specify a bucket. %v is invalid", f.Bucket)
	}
	file := fileexporter.Exporter{
		Format:                  f.Format,
		Filename:                f.Filename,
		FilePerBatch:            true, // a second object of the same name would overwrite the first
		CsvTemplate:             f.CsvTemplate,
		ParquetCompressionCodec: f.ParquetCompressionCodec,
	}
	return file.ExportTo(ctx, logger, events, func(name string, content io.Reader) error {
		return f.uploadFile(ctx, client, name, content)
	})
}

func (f *Exporter) uploadFile(ctx context.Context, client *storage.Client, name string, content io.Reader) error {
	if f.Path != "" {
		name = path.Clean(f.Path + "/" + name)
	}
	object := client.Bucket(f.Bucket).Object(name).NewWriter(ctx)
	_, err := io.Copy(object, content)
	// what the bucket says of the last part is known when the object is closed
	if err := cmp.Or(err, object.Close()); err != nil {
		return fmt.Errorf("error: [GCP Exporter] impossible to copy the file from %s to bucket %s: %w", name, f.Bucket, err)
	}
	return nil
}
