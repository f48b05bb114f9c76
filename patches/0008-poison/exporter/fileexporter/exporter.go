//go:build ignore

package fileexporter

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"strings"
	"text/template"

	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
	"github.com/xitongsys/parquet-go-source/local"
	"github.com/xitongsys/parquet-go/parquet"
	"github.com/xitongsys/parquet-go/writer"
)

//offlock:fields after csvTemplate
type Exporter struct {
	trackingTemplate *template.Template
}

// Export writes the events to a file: at the end of the one that is there, or to one of their own (see FilePerBatch),
// which has the same name, and is written from the start, when the same batch is exported again.
//
// Events that cannot be written in the format are set aside (see exporter.SetAside). There is no file if none is left.
func (f *Exporter) Export(ctx context.Context, logger *fflog.FFLogger, events []exporter.ExportableEvent) error {
	f.prepare()
	filePath, err := f.nextPath(ctx)
	if err != nil {
		return err
	}
	write := f.writeFile
	if f.Format == "parquet" {
		write = f.writeParquet
	}
	refused, err := write(filePath, events)
	if err == nil {
		exporter.SetAside(ctx, logger, refused...)
	}
	return err
}

// prepare settles what the configuration leaves open.
func (f *Exporter) prepare() {
	f.initTemplates.Do(f.parseTemplates)
	f.Format = strings.ToLower(cmp.Or(f.Format, "json"))
}

func (f *Exporter) parseTemplates() {
	f.csvTemplate = exporter.ParseTemplate("csvFormat", f.CsvTemplate, exporter.DefaultCsvTemplate)
	f.trackingTemplate = exporter.ParseTrackingTemplate("csvFormat", f.CsvTemplate,
		exporter.DefaultCsvTemplate, exporter.DefaultTrackingCsvTemplate)
	f.filenameTemplate = exporter.ParseTemplate("filenameFormat", f.Filename, exporter.DefaultFilenameTemplate)
}

// writeFile writes a line for each event, and returns those that have none.
func (f *Exporter) writeFile(filePath string, events []exporter.ExportableEvent,
) (refused []exporter.Refused, err error) {
	var file *os.File
	for i, event := range events {
		line, err := f.formatLine(event)
		if err != nil {
			err = fmt.Errorf("impossible to format the event in %s: %w", f.Format, err)
			refused = append(refused, exporter.Refused{Index: i, Event: event, Err: err})
			continue
		}
		if file == nil {
			if file, err = f.openFile(filePath); err != nil {
				return nil, err
			}
			defer func() { _ = file.Close() }()
		}
		if _, err := file.Write(line); err != nil {
			return nil, fmt.Errorf("error while writing the export file: %v", err)
		}
	}
	if file == nil {
		return f.writeNothing(filePath, refused)
	}
	return refused, nil
}

// openFile opens the file that lines are written to.
func (f *Exporter) openFile(filePath string) (*os.File, error) {
	// what an attempt before this one has left of the batch is written again
	mode := os.O_APPEND
	if f.ownFile() {
		mode = os.O_TRUNC
	}
	return os.OpenFile(filePath, mode|os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec
}

// writeNothing is the end of a batch that has left nothing to write. Without an event there is an empty file.
func (f *Exporter) writeNothing(filePath string, refused []exporter.Refused) ([]exporter.Refused, error) {
	if len(refused) > 0 {
		return refused, f.templateFault(refused)
	}
	file, err := f.openFile(filePath)
	if err != nil {
		return nil, err
	}
	return nil, file.Close()
}

// templateFault is called with all the events of a batch. It returns an error if they were refused because of the
// template: then they are not set aside, because all others would follow them.
func (f *Exporter) templateFault(refused []exporter.Refused) error {
	if f.Format != "csv" {
		return nil
	}
	event := refused[0].Event
	if err := exporter.TemplateFault(f.templateFor(event), event); err != nil {
		return fmt.Errorf("impossible to format any event in csv: %w", err)
	}
	return nil
}

// formatLine converts an event in the right format. A value that panics while it is encoded does so every time.
func (f *Exporter) formatLine(event exporter.ExportableEvent) (line []byte, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v", reason)
		}
	}()
	if f.Format == "csv" {
		return event.FormatInCSV(f.templateFor(event))
	}
	return event.FormatInJSON()
}

// templateFor returns the template for CSV lines of this type of event.
func (f *Exporter) templateFor(event exporter.ExportableEvent) *template.Template {
	switch event.(type) {
	case exporter.TrackingEvent, *exporter.TrackingEvent:
		return f.trackingTemplate
	default:
		return f.csvTemplate
	}
}

// writeParquet writes a row for each event, and returns those that have none.
func (f *Exporter) writeParquet(filePath string, events []exporter.ExportableEvent,
) (refused []exporter.Refused, err error) {
	schema, rows, refused := parquetRows(events)
	if len(rows) == 0 && len(refused) > 0 {
		return refused, nil
	}
	fw, err := local.NewLocalFileWriter(filePath)
	if err != nil {
		return nil, err
	}
	defer func() { _ = fw.Close() }()

	pw, err := writer.NewParquetWriter(fw, schema, int64(runtime.NumCPU()))
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
	return refused, pw.WriteStop()
}

// parquetRows returns the schema of a file with these events, what to write, and the events that have no place there.
// A file has one type of event: that of the tracking events, if there are any.
func parquetRows(events []exporter.ExportableEvent) (schema any, rows []any, refused []exporter.Refused) {
	schema = new(exporter.FeatureEvent)
	for _, event := range events {
		switch event.(type) {
		case exporter.TrackingEvent, *exporter.TrackingEvent:
			schema = new(exporter.TrackingEvent)
		}
	}
	for i, event := range events {
		row, err := parquetRow(schema, event)
		if err != nil {
			err = fmt.Errorf("impossible to format the event in parquet: %w", err)
			refused = append(refused, exporter.Refused{Index: i, Event: event, Err: err})
			continue
		}
		rows = append(rows, row)
	}
	return schema, rows, refused
}

func parquetRow(schema any, event exporter.ExportableEvent) (row any, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v", reason)
		}
	}()
	switch e := event.(type) {
	case *exporter.FeatureEvent:
		return parquetRow(schema, *e)
	case *exporter.TrackingEvent:
		return parquetRow(schema, *e)
	case exporter.FeatureEvent:
		if _, ok := schema.(*exporter.FeatureEvent); !ok {
			return nil, errors.New("its file is one of tracking events")
		}
		value, errValue := e.ConvertValueForParquet()
		metadata, errMetadata := parquetMap(e.Metadata)
		e.Value, e.Metadata = value, metadata
		return e, errors.Join(errValue, errMetadata)
	case exporter.TrackingEvent:
		evaluationContext, errContext := parquetMap(e.EvaluationContext)
		details, errDetails := parquetMap(e.TrackingDetails)
		e.EvaluationContext, e.TrackingDetails = evaluationContext, details
		return e, errors.Join(errContext, errDetails)
	default:
		return nil, fmt.Errorf("%T is an unknown type of event", event)
	}
}

// parquetMap returns what a column of maps can hold of the values, which is strings: all others as JSON. The writer
// would make "<int Value>" of a number, and fail for nil.
func parquetMap(values map[string]any) (map[string]any, error) {
	texts, copied := values, false
	for key, value := range values {
		if _, ok := value.(string); ok {
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		if !copied {
			texts, copied = maps.Clone(values), true
		}
		texts[key] = string(text)
	}
	return texts, nil
}

//offlock:delete Exporter.writeParquetFeatureEvent

//offlock:delete Exporter.writeParquetTrackingEvent
