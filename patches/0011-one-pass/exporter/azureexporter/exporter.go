//go:build ignore

package azureexporter

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/exporter/fileexporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// blockSize is what is in memory of an upload, and up to what a blob takes a single request.
const blockSize = 8 << 20

// Export uploads the events as one blob. They are encoded while they are uploaded.
func (f *Exporter) Export(ctx context.Context, logger *fflog.FFLogger, events []exporter.ExportableEvent) error {
	if f.AccountName == "" {
		return fmt.Errorf("you should specify an AccountName. %v is invalid", f.AccountName)
	}
	client, err := f.initializeAzureClient()
	if err != nil {
		return err
	}
	if f.Container == "" {
		return fmt.Errorf("you should specify a container. %v is invalid", f.Container)
	}
	file := fileexporter.Exporter{
		Format:                  f.Format,
		Filename:                f.Filename,
		FilePerBatch:            true, // a second blob of the same name would overwrite the first
		CsvTemplate:             f.CsvTemplate,
		ParquetCompressionCodec: f.ParquetCompressionCodec,
	}
	return file.ExportTo(ctx, logger, events, func(name string, content io.Reader) error {
		return f.uploadFile(ctx, client, logger, name, content)
	})
}

func (f *Exporter) uploadFile(ctx context.Context, client *azblob.Client, logger *fflog.FFLogger,
	name string, content io.Reader) error {
	blob := name
	if f.Path != "" {
		blob = f.Path + "/" + name
	}
	options := &azblob.UploadStreamOptions{BlockSize: blockSize}
	if _, err := client.UploadStream(ctx, f.Container, blob, content, options); err != nil {
		logger.Error("[Azure Exporter] failed to upload file", slog.String("blob", blob))
		return err
	}
	logger.Info("[Azure Exporter] file uploaded.", slog.String("location", f.Container+"/"+blob))
	return nil
}
