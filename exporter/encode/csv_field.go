package encode

import (
	"strconv"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
)

// csvField is a field that a line can have without its template being run.
type csvField uint8

const (
	noField csvField = iota
	fieldKind
	fieldContextKind
	fieldUserKey
	fieldCreationDate
	fieldKey
	fieldFormattedDate
	fieldVariation // of feature events, from here
	fieldValue
	fieldDefault
	fieldVersion
	fieldSource
	fieldMetadata
	fieldValueJSON
	fieldMetadataJSON
	fieldContext // of tracking events, from here
	fieldDetails
	fieldContextJSON
	fieldDetailsJSON
)

var csvFields = map[string]csvField{
	"Kind": fieldKind, "ContextKind": fieldContextKind, "UserKey": fieldUserKey, "CreationDate": fieldCreationDate, "Key": fieldKey,
	"FormattedDate": fieldFormattedDate, "Variation": fieldVariation, "Value": fieldValue, "Default": fieldDefault, "Version": fieldVersion,
	"Source": fieldSource, "Metadata": fieldMetadata, "EvaluationContext": fieldContext, "TrackingDetails": fieldDetails,
}

// Those that the function json is for.
var csvJSONFields = map[string]csvField{
	"Value": fieldValueJSON, "Metadata": fieldMetadataJSON, "EvaluationContext": fieldContextJSON, "TrackingDetails": fieldDetailsJSON,
}

// csvRecord is an event of either kind.
type csvRecord struct {
	kind, contextKind, userKey, key string
	creationDate                    int64
	feature                         *ffexporter.FeatureEvent
	tracking                        *ffexporter.TrackingEvent
}

func (l *csvLine) appendFeature(dst []byte, e *ffexporter.FeatureEvent, event ffexporter.ExportableEvent) ([]byte, error) {
	if l.steps != nil {
		r := csvRecord{kind: e.Kind, contextKind: e.ContextKind, userKey: e.UserKey, key: e.Key, creationDate: e.CreationDate, feature: e}
		if out, ok := l.appendSteps(dst, &r); ok {
			return out, nil
		}
	}
	if tooDeep(e.Value) || tooDeep(e.Metadata) {
		return dst, ErrTooDeep
	}
	return l.execute(dst, event)
}

func (l *csvLine) appendTracking(dst []byte, e *ffexporter.TrackingEvent, event ffexporter.ExportableEvent) ([]byte, error) {
	if l.steps != nil {
		r := csvRecord{kind: e.Kind, contextKind: e.ContextKind, userKey: e.UserKey, key: e.Key, creationDate: e.CreationDate, tracking: e}
		if out, ok := l.appendSteps(dst, &r); ok {
			return out, nil
		}
	}
	if tooDeep(e.EvaluationContext) || tooDeep(e.TrackingDetails) {
		return dst, ErrTooDeep
	}
	return l.execute(dst, event)
}

// execute runs the template as the library does.
func (l *csvLine) execute(dst []byte, e ffexporter.ExportableEvent) ([]byte, error) {
	line, err := e.FormatInCSV(l.template)
	if err != nil {
		return dst, err
	}
	return append(dst, line...), nil
}

// appendSteps gives up, and is false, where only the template knows what to do:
// it prints the value, or says what is wrong with it. It can rely on the event to
// have the fields: see stepsOf. Letters and digits need no quotes.
func (l *csvLine) appendSteps(dst []byte, r *csvRecord) (_ []byte, ok bool) {
	for i := range l.steps {
		step := &l.steps[i]
		if len(step.text) == 1 { // a delimiter, mostly
			dst = append(dst, step.text[0])
		} else {
			dst = append(dst, step.text...)
		}
		var text string
		switch step.field {
		case noField: // the text at the end
			return dst, true
		case fieldKind:
			text = r.kind
		case fieldContextKind:
			text = r.contextKind
		case fieldUserKey:
			text = r.userKey
		case fieldKey:
			text = r.key
		case fieldVariation:
			text = r.feature.Variation
		case fieldVersion:
			text = r.feature.Version
		case fieldSource:
			text = r.feature.Source
		case fieldDefault:
			dst = strconv.AppendBool(dst, r.feature.Default)
			continue
		default:
			start := len(dst)
			if dst, ok = r.appendPrinted(dst, step.field); !ok {
				return nil, false
			}
			if l.quotes != nil && (step.field != fieldCreationDate || r.creationDate < 0) {
				dst = l.quotes.settle(dst, start, step.style)
			}
			continue
		}
		if l.quotes == nil {
			dst = append(dst, text...)
		} else {
			dst = l.quotes.appendText(dst, text, step.style)
		}
	}
	return dst, true
}

// appendPrinted is for the fields that are not text.
func (r *csvRecord) appendPrinted(dst []byte, f csvField) (_ []byte, ok bool) {
	switch f {
	case fieldCreationDate:
		return strconv.AppendInt(dst, r.creationDate, 10), true
	case fieldFormattedDate:
		return time.Unix(r.creationDate, 0).AppendFormat(dst, time.RFC3339), true
	case fieldValue:
		return appendPrinted(dst, r.feature.Value)
	case fieldMetadata:
		return appendPrinted(dst, r.feature.Metadata)
	case fieldContext:
		return appendPrinted(dst, r.tracking.EvaluationContext)
	case fieldDetails:
		return appendPrinted(dst, r.tracking.TrackingDetails)
	case fieldValueJSON:
		return appendPrintedJSON(dst, r.feature.Value)
	case fieldMetadataJSON:
		return appendPrintedJSON(dst, r.feature.Metadata)
	case fieldContextJSON:
		return appendPrintedJSON(dst, r.tracking.EvaluationContext)
	case fieldDetailsJSON:
		return appendPrintedJSON(dst, r.tracking.TrackingDetails)
	}
	return dst, false
}
