//go:build ignore

package exporter

import (
	"bytes"
	"strconv"
	"text/template"
	"time"

	"github.com/thomaspoignant/go-feature-flag/internal/jsonline"
)

// FormatInCSV returns what the template makes of the event.
func (f TrackingEvent) FormatInCSV(csvTemplate *template.Template) ([]byte, error) {
	return f.AppendCSV(make([]byte, 0, lineSize), csvTemplate, false)
}

// AppendCSV appends what the template makes of the event: see FeatureEvent.AppendCSV.
func (f TrackingEvent) AppendCSV(dst []byte, csvTemplate *template.Template, quoted bool) ([]byte, error) {
	line, ok := appendFields(dst, csvTemplate, quoted, func(dst []byte, name string) ([]byte, bool) {
		return appendTrackingField(dst, &f, name)
	})
	if ok {
		return line, nil
	}
	printed := bytes.NewBuffer(dst)
	err := csvTemplate.Execute(printed, struct {
		TrackingEvent
		FormattedDate string
	}{f, time.Unix(f.CreationDate, 0).Format(time.RFC3339)})
	if err != nil {
		return dst, err
	}
	return printed.Bytes(), nil
}

func appendTrackingField(dst []byte, f *TrackingEvent, name string) ([]byte, bool) {
	switch name {
	case "Kind":
		return append(dst, f.Kind...), true
	case "ContextKind":
		return append(dst, f.ContextKind...), true
	case "UserKey":
		return append(dst, f.UserKey...), true
	case "CreationDate":
		return strconv.AppendInt(dst, f.CreationDate, 10), true
	case "FormattedDate":
		return time.Unix(f.CreationDate, 0).AppendFormat(dst, time.RFC3339), true
	case "Key":
		return append(dst, f.Key...), true
	case "EvaluationContext":
		return appendPrinted(dst, f.EvaluationContext)
	case "TrackingDetails":
		return appendPrinted(dst, f.TrackingDetails)
	default:
		return dst, false
	}
}

// FormatInJSON returns the event as a line of JSON.
func (f TrackingEvent) FormatInJSON() ([]byte, error) {
	return f.AppendJSON(make([]byte, 0, lineSize))
}

// AppendJSON appends the event as a line of JSON: see FeatureEvent.AppendJSON.
func (f TrackingEvent) AppendJSON(dst []byte) ([]byte, error) {
	line := appendJSONHead(dst, f.Kind, f.ContextKind, f.UserKey, f.CreationDate, f.Key)
	line = append(line, `,"evaluationContext":`...)
	line, err := jsonline.AppendMap(line, f.EvaluationContext)
	if err != nil {
		return dst, err
	}
	line = append(line, `,"trackingEventDetails":`...)
	if line, err = jsonline.AppendMap(line, f.TrackingDetails); err != nil {
		return dst, err
	}
	return append(line, "}\n"...), nil
}
