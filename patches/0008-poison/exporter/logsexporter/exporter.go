//go:build ignore

package logsexporter

import (
	"cmp"
	"context"
	"fmt"
	"text/template"

	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

const defaultTrackingLoggerFormat = "[{{ .FormattedDate}}] user=\"{{ .UserKey}}\", event=\"{{ .Key}}\", " +
	"details=\"{{ .TrackingDetails}}\""

//offlock:fields after logTemplate
type Exporter struct {
	trackingTemplate *template.Template
}

// Export logs a line for each event. Events that have none are set aside (see exporter.SetAside).
func (f *Exporter) Export(ctx context.Context, logger *fflog.FFLogger, events []exporter.ExportableEvent) error {
	f.initTemplates.Do(f.parseTemplates)
	var refused []exporter.Refused
	for i, event := range events {
		line, err := f.formatLine(event)
		if err != nil {
			refused = append(refused, exporter.Refused{Index: i, Event: event, Err: err})
			continue
		}
		logger.Info(string(line))
	}
	if len(refused) > 0 && len(refused) == len(events) {
		// a template that fits no event is no fault of theirs: all others would follow them
		event := refused[0].Event
		if err := exporter.TemplateFault(f.templateFor(event), event); err != nil {
			return err
		}
	}
	exporter.SetAside(ctx, logger, refused...)
	return nil
}

func (f *Exporter) parseTemplates() {
	f.LogFormat = cmp.Or(f.LogFormat, f.Format) // the deprecated name of the field
	f.logTemplate = exporter.ParseTemplate("logFormat", f.LogFormat, defaultLoggerFormat)
	f.trackingTemplate = exporter.ParseTrackingTemplate("logFormat", f.LogFormat,
		defaultLoggerFormat, defaultTrackingLoggerFormat)
}

// formatLine fills the template in. A value that panics while it is printed does so every time.
func (f *Exporter) formatLine(event exporter.ExportableEvent) (line []byte, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v", reason)
		}
	}()
	return event.FormatInCSV(f.templateFor(event))
}

// templateFor returns the template for lines of this type of event.
func (f *Exporter) templateFor(event exporter.ExportableEvent) *template.Template {
	switch event.(type) {
	case exporter.TrackingEvent, *exporter.TrackingEvent:
		return f.trackingTemplate
	default:
		return f.logTemplate
	}
}
