//go:build ignore

package exporter

import (
	"strings"
	"text/template"
)

// DefaultTrackingCsvTemplate is DefaultCsvTemplate for tracking events, which do not have all the fields of a feature
// event.
const DefaultTrackingCsvTemplate = "{{ .Kind}};{{ .ContextKind}};{{ .UserKey}};{{ .CreationDate}};{{ .Key}};" +
	"{{ .EvaluationContext}};{{ .TrackingDetails}}\n"

// ParseTrackingTemplate is ParseTemplate for the tracking events of an exporter that has one template for all events.
// They have a default of their own, also if the default for feature events is configured, spelled out.
func ParseTrackingTemplate(name, configured, defaultFeature, defaultTracking string) *template.Template {
	if configured == defaultFeature {
		configured = ""
	}
	return ParseTemplate(name, configured, defaultTracking)
}

// TemplateFault returns the error that a template meets with every event of this one's type, because it names a field
// that the type does not have: then the configuration is wrong, not the event. It returns nil if another event of the
// type could be written.
func TemplateFault(t *template.Template, event ExportableEvent) error {
	var empty ExportableEvent
	switch event.(type) {
	case FeatureEvent, *FeatureEvent:
		empty = FeatureEvent{}
	case TrackingEvent, *TrackingEvent:
		empty = TrackingEvent{}
	default:
		return nil
	}
	// An empty event meets other errors as well, such as for a field of its value, which is nil.
	_, err := empty.FormatInCSV(t)
	if err != nil && strings.Contains(err.Error(), "can't evaluate field") {
		return err
	}
	return nil
}
