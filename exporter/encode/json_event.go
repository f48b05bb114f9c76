package encode

import (
	"reflect"
	"slices"
	"strconv"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/exporter/encode/jsonline"
)

// The functions below are only right for events with these fields. The library
// is the service's, and may be newer than this package.
var (
	featureKnown = tagged[ffexporter.FeatureEvent]("kind", "contextKind,omitempty", "userKey", "creationDate", "key", "variation", "value",
		"default", "version", "source", "metadata,omitempty")
	trackingKnown = tagged[ffexporter.TrackingEvent]("kind", "contextKind,omitempty", "userKey", "creationDate", "key", "evaluationContext",
		"trackingEventDetails")
)

// tagged says whether E's fields have these tags, in this order.
func tagged[E any](want ...string) bool {
	var tags []string
	t := reflect.TypeFor[E]()
	for i := range t.NumField() {
		tags = append(tags, t.Field(i).Tag.Get("json"))
	}
	return slices.Equal(tags, want)
}

func appendFeatureJSON(dst []byte, e *ffexporter.FeatureEvent) (_ []byte, err error) {
	start := len(dst)
	dst = append(dst, `{"kind":`...)
	dst = jsonline.AppendString(dst, e.Kind)
	if e.ContextKind != "" {
		dst = append(dst, `,"contextKind":`...)
		dst = jsonline.AppendString(dst, e.ContextKind)
	}
	dst = append(dst, `,"userKey":`...)
	dst = jsonline.AppendString(dst, e.UserKey)
	dst = append(dst, `,"creationDate":`...)
	dst = strconv.AppendInt(dst, e.CreationDate, 10)
	dst = append(dst, `,"key":`...)
	dst = jsonline.AppendString(dst, e.Key)
	dst = append(dst, `,"variation":`...)
	dst = jsonline.AppendString(dst, e.Variation)
	dst = append(dst, `,"value":`...)
	if dst, err = jsonline.AppendValue(dst, e.Value); err != nil {
		return dst[:start], err
	}
	dst = append(dst, `,"default":`...)
	dst = strconv.AppendBool(dst, e.Default)
	dst = append(dst, `,"version":`...)
	dst = jsonline.AppendString(dst, e.Version)
	dst = append(dst, `,"source":`...)
	dst = jsonline.AppendString(dst, e.Source)
	if len(e.Metadata) > 0 {
		dst = append(dst, `,"metadata":`...)
		if dst, err = jsonline.AppendMap(dst, e.Metadata); err != nil {
			return dst[:start], err
		}
	}
	return append(dst, "}\n"...), nil
}

func appendTrackingJSON(dst []byte, e *ffexporter.TrackingEvent) (_ []byte, err error) {
	start := len(dst)
	dst = append(dst, `{"kind":`...)
	dst = jsonline.AppendString(dst, e.Kind)
	if e.ContextKind != "" {
		dst = append(dst, `,"contextKind":`...)
		dst = jsonline.AppendString(dst, e.ContextKind)
	}
	dst = append(dst, `,"userKey":`...)
	dst = jsonline.AppendString(dst, e.UserKey)
	dst = append(dst, `,"creationDate":`...)
	dst = strconv.AppendInt(dst, e.CreationDate, 10)
	dst = append(dst, `,"key":`...)
	dst = jsonline.AppendString(dst, e.Key)
	dst = append(dst, `,"evaluationContext":`...)
	if dst, err = jsonline.AppendMap(dst, e.EvaluationContext); err != nil {
		return dst[:start], err
	}
	dst = append(dst, `,"trackingEventDetails":`...)
	if dst, err = jsonline.AppendMap(dst, e.TrackingDetails); err != nil {
		return dst[:start], err
	}
	return append(dst, "}\n"...), nil
}
