package encode

import (
	"errors"
	"fmt"
	"io"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
)

// DefaultTrackingCSVTemplate is the line of a tracking event where no template is
// given. The library's default has columns that tracking events lack. The two
// maps are columns of JSON.
const DefaultTrackingCSVTemplate = "{{ .Kind}};{{ .ContextKind}};{{ .UserKey}};{{ .CreationDate}};{{ .Key}};" +
	"{{ json .EvaluationContext}};{{ json .TrackingDetails}}\n"

// ErrCSVOption is what every error of [NewCSV] wraps.
var ErrCSVOption = errors.New("encode: unusable csv option")

// ErrTooDeep is the reason why an event was refused that holds itself, or values
// nested more than a thousand deep, where a template would have to print them.
var ErrTooDeep = errors.New("encode: a value is nested too deep or holds itself: it cannot be printed")

// CSVOptions are the choices of [NewCSV]. The zero value writes the library's
// columns, with quotes where a field needs them.
//
// Templates are those of the library: text/template over an event's fields and
// FormattedDate. They may also use the function json, which prints a value as
// JSON. A template has to end its line itself.
type CSVOptions struct {
	// Template is the line of a feature event. Empty means the library's
	// DefaultCsvTemplate.
	Template string

	// TrackingTemplate is the line of a tracking event. Empty means Template, if
	// that is given and names no field that tracking events lack, and otherwise
	// DefaultTrackingCSVTemplate.
	TrackingTemplate string

	// Quote puts the fields of the given templates into quotes where RFC 4180
	// asks for it: around a quotation mark, an end of line, or the delimiter. A
	// field is what one action prints, and a delimiter is any character beside
	// {{ or }} that is neither letter nor digit nor quotation mark. Inside
	// quotation marks of the template, only those of the field are doubled.
	//
	// The default templates are always quoted. Others are not unless asked for,
	// so that files stay as their readers know them.
	Quote bool
}

// CSV writes a line an event from a template. Templates that are only text and
// fields take a path that neither uses reflection nor allocates; its lines are,
// byte for byte, those that the template makes. All others run as in the library.
//
// It is safe for several goroutines. Events of other types are given the template
// of feature events by their own FormatInCSV.
type CSV struct {
	feature, tracking *csvLine // read only
}

var _ Encoder = (*CSV)(nil)

// NewCSV compiles the templates. A template that cannot be parsed, or that names a
// field which no event has that it is for, is an error that wraps [ErrCSVOption].
// Template alone may be for tracking events only: then feature events are refused.
func NewCSV(o CSVOptions) (*CSV, error) {
	own := o.Template != "" && o.Template != ffexporter.DefaultCsvTemplate
	if !own {
		o.Template = ffexporter.DefaultCsvTemplate
	}
	var c CSV
	var err error
	if c.feature, err = compileCSV(o.Template, o.Quote || !own, featureData); err != nil {
		return nil, fmt.Errorf("%w: Template: %w", ErrCSVOption, err)
	}
	if own && o.TrackingTemplate == "" {
		if c.tracking, err = compileCSV(o.Template, o.Quote, trackingData); err != nil {
			return nil, fmt.Errorf("%w: Template: %w", ErrCSVOption, err)
		}
		if c.tracking.lacks == "" {
			return &c, nil // it may be for these alone
		}
	}
	if c.feature.lacks != "" {
		return nil, fmt.Errorf("%w: Template: feature events have no field %q", ErrCSVOption, c.feature.lacks)
	}
	byDefault := o.TrackingTemplate == "" || o.TrackingTemplate == DefaultTrackingCSVTemplate
	if byDefault {
		o.TrackingTemplate = DefaultTrackingCSVTemplate
	}
	if c.tracking, err = compileCSV(o.TrackingTemplate, o.Quote || byDefault, trackingData); err != nil {
		return nil, fmt.Errorf("%w: TrackingTemplate: %w", ErrCSVOption, err)
	}
	if c.tracking.lacks != "" {
		return nil, fmt.Errorf("%w: TrackingTemplate: tracking events have no field %q", ErrCSVOption, c.tracking.lacks)
	}
	return &c, nil
}

// Format is "csv".
func (*CSV) Format() string { return "csv" }

// ContentType is the registered media type of CSV, though the default's delimiter
// is a semicolon.
func (*CSV) ContentType() string { return "text/csv" }

// Encode writes the events as [Encoder] says. An event is refused if its template
// fails on it.
func (c *CSV) Encode(w io.Writer, events []ffexporter.ExportableEvent) ([]Refused, error) {
	return encodeLines(c, w, events)
}

// Append appends the event's line. If it returns an error, dst is as it was.
func (c *CSV) Append(dst []byte, event ffexporter.ExportableEvent) (out []byte, err error) {
	defer contain(dst, &out, &err)
	switch e := event.(type) {
	case ffexporter.FeatureEvent:
		return c.feature.appendFeature(dst, &e, event)
	case *ffexporter.FeatureEvent:
		if e != nil {
			return c.feature.appendFeature(dst, e, event)
		}
	case ffexporter.TrackingEvent:
		return c.tracking.appendTracking(dst, &e, event)
	case *ffexporter.TrackingEvent:
		if e != nil {
			return c.tracking.appendTracking(dst, e, event)
		}
	case nil:
	default:
		return c.feature.execute(dst, event)
	}
	return dst, errNoEvent
}
