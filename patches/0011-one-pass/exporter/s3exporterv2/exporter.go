//go:build ignore

package s3exporterv2

import (
	"context"
	"io"
	"log/slog"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/exporter/fileexporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// Export uploads the events as one object. They are encoded while they are uploaded.
func (f *Exporter) Export(ctx context.Context, logger *fflog.FFLogger, events []exporter.ExportableEvent) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if err := f.initializeUploader(ctx); err != nil {
		return err
	}
	file := fileexporter.Exporter{
		Format:                  f.Format,
		Filename:                f.Filename,
		FilePerBatch:            true, // a second object of the same name would overwrite the first
		CsvTemplate:             f.CsvTemplate,
		ParquetCompressionCodec: f.ParquetCompressionCodec,
	}
	return file.ExportTo(ctx, logger, events, func(name string, content io.Reader) error {
		return f.uploadFile(ctx, logger, name, content)
	})
}

func (f *Exporter) uploadFile(ctx context.Context, logger *fflog.FFLogger, name string, content io.Reader) error {
	result, err := f.s3Uploader.UploadObject(ctx, &transfermanager.UploadObjectInput{
		Bucket: aws.String(f.Bucket),
		Key:    aws.String(f.S3Path + "/" + name),
		Body:   content,
	})
	if err != nil {
		return err
	}
	logger.Info("[S3Exporter] file uploaded.", slog.String("location", aws.ToString(result.Location)))
	return nil
}
