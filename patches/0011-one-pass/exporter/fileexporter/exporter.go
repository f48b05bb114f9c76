//go:build ignore

package fileexporter

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
	"github.com/xitongsys/parquet-go/parquet"
	"github.com/xitongsys/parquet-go/writer"
)

//offlock:fields after trackingTemplate
type Exporter struct {
	quoted bool // the CSV templates are the default ones, whose fields are quoted where they must be
}

func (f *Exporter) Export(ctx context.Context, logger *fflog.FFLogger, events []exporter.ExportableEvent) error {
	return f.ExportTo(ctx, logger, events, f.writeFile)
}

// ExportTo does what Export does, with another place for what would be in the file: send is called with the name that
// the file would have, and with its content. That is encoded while it is read, so it can be read once, and not after
// send has returned; reading it does not fail. What send leaves unread is an error. If no event can be encoded, send is
// not called.
func (f *Exporter) ExportTo(ctx context.Context, logger *fflog.FFLogger, events []exporter.ExportableEvent,
	send func(name string, content io.Reader) error) error {
	f.prepare()
	name, err := f.nextName(ctx)
	if err != nil {
		return err
	}
	c, err := f.encode(events)
	if err != nil {
		return err
	}
	defer c.release()
	if c.more() || len(c.refused) == 0 {
		if err := send(name, c); err != nil {
			return err
		}
		if c.more() {
			return fmt.Errorf("%s was not read to its end", name)
		}
	} else if err := f.templateFault(c.refused); err != nil {
		return err
	}
	exporter.SetAside(ctx, logger, c.refused...)
	return nil
}

func (f *Exporter) parseTemplates() {
	f.csvTemplate = exporter.ParseTemplate("csvFormat", f.CsvTemplate, exporter.DefaultCsvTemplate)
	f.trackingTemplate = exporter.ParseTrackingTemplate("csvFormat", f.CsvTemplate,
		exporter.DefaultCsvTemplate, exporter.DefaultTrackingCsvTemplate)
	byDefault := exporter.ParseTemplate("csvFormat", "", exporter.DefaultCsvTemplate)
	f.quoted = f.csvTemplate.Root.String() == byDefault.Root.String()
	f.filenameTemplate = exporter.ParseTemplate("filenameFormat", f.Filename, exporter.DefaultFilenameTemplate)
}

// nextName returns the name of the file that the events go to.
func (f *Exporter) nextName(ctx context.Context) (string, error) {
	if f.ownFile() {
		return exporter.ComputeBatchFilename(ctx, f.filenameTemplate, f.Format)
	}
	return exporter.ComputeFilename(f.filenameTemplate, f.Format)
}

// writeFile writes the content to the file, chunk by chunk. It makes the folder if it is missing.
func (f *Exporter) writeFile(name string, content io.Reader) error {
	if folder := strings.TrimRight(f.OutputDir, "/"); folder != "" {
		if err := os.MkdirAll(folder, 0755); err != nil { //nolint:gosec
			return fmt.Errorf("failed to create output directory: %v", err)
		}
		name = filepath.Join(folder, name)
	}
	file, err := f.openFile(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	// Some file systems report what they could not write when the file is closed.
	if err := cmp.Or(err, file.Close()); err != nil {
		return fmt.Errorf("error while writing the export file: %w", err)
	}
	return nil
}

// encode returns the content of the file for these events.
func (f *Exporter) encode(events []exporter.ExportableEvent) (*content, error) {
	if f.Format == "parquet" {
		return f.encodeParquet(events)
	}
	return &content{events: events, encode: f.appendLine}, nil
}

// appendLine appends an event in the right format. A value that panics while it is encoded does so every time.
func (f *Exporter) appendLine(dst []byte, event exporter.ExportableEvent) (line []byte, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v", reason)
		}
		if err != nil {
			line, err = dst, fmt.Errorf("impossible to format the event in %s: %w", f.Format, err)
		}
	}()
	csv := f.Format == "csv"
	switch event := event.(type) {
	case exporter.FeatureEvent:
		if csv {
			return event.AppendCSV(dst, f.csvTemplate, f.quoted)
		}
		return event.AppendJSON(dst)
	case exporter.TrackingEvent:
		if csv {
			return event.AppendCSV(dst, f.trackingTemplate, f.quoted)
		}
		return event.AppendJSON(dst)
	case *exporter.FeatureEvent:
		return f.appendLine(dst, *event)
	case *exporter.TrackingEvent:
		return f.appendLine(dst, *event)
	}
	if csv {
		line, err = event.FormatInCSV(f.csvTemplate)
	} else {
		line, err = event.FormatInJSON()
	}
	return append(dst, line...), err
}

// encodeParquet makes the whole file, which its writer has in memory anyway.
func (f *Exporter) encodeParquet(events []exporter.ExportableEvent) (*content, error) {
	schema, rows, refused := parquetRows(events)
	if len(rows) == 0 && len(refused) > 0 {
		return &content{refused: refused}, nil
	}
	var file bytes.Buffer
	pw, err := writer.NewParquetWriterFromWriter(&file, schema, int64(runtime.NumCPU()))
	if err != nil {
		return nil, err
	}
	pw.CompressionType = parquet.CompressionCodec_SNAPPY
	if ct, err := parquet.CompressionCodecFromString(f.ParquetCompressionCodec); err == nil {
		pw.CompressionType = ct
	}
	for _, row := range rows {
		if err := pw.Write(row); err != nil {
			return nil, fmt.Errorf("error while writing the parquet export file: %v", err)
		}
	}
	if err := pw.WriteStop(); err != nil {
		return nil, err
	}
	return &content{unread: file.Bytes(), refused: refused}, nil
}

//offlock:delete Exporter.nextPath

//offlock:delete Exporter.writeParquet

//offlock:delete Exporter.writeNothing

//offlock:delete Exporter.formatLine
