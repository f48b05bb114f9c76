package encode

import (
	"errors"
	"fmt"
	"io"
	"sync"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
)

// ParquetKind says whose columns a Parquet file has. Feature and tracking
// events have different ones, so a file holds events of one kind.
type ParquetKind string

const (
	// KindOfFirst takes, for each call of Encode, the kind of the first event
	// that has columns at all. It is what the zero value means, and enough where
	// every batch holds one kind: the library sends feature and tracking events
	// to exporters of their own.
	KindOfFirst ParquetKind = ""
	// KindFeature is for ffexporter.FeatureEvent.
	KindFeature ParquetKind = "feature"
	// KindTracking is for ffexporter.TrackingEvent.
	KindTracking ParquetKind = "tracking"
)

// ParquetOptions are the choices of [NewParquet]. The zero value is what the
// library's own exporters write, in row groups of 8 MiB.
type ParquetOptions struct {
	// CompressionCodec is the name of a codec as the Parquet format spells it,
	// upper or lower case: UNCOMPRESSED, SNAPPY, GZIP, BROTLI, ZSTD, LZ4_RAW.
	// LZ4, the format's deprecated framing that few readers know, is taken for
	// LZ4_RAW. Empty means SNAPPY. Any other name is an error.
	CompressionCodec string

	// RowGroupBytes is how many bytes of encoded pages, dictionaries and
	// unfinished pages may gather before they are written out as a row group. It
	// bounds the memory of a call of Encode, whatever the number of events: a
	// row group, the buffers of its columns (some MiB) and the largest event.
	// It is looked at every 128 events. Zero means 8 MiB; less than 64 KiB is an
	// error, for a file can hold 32,767 row groups only.
	RowGroupBytes int

	// Kind is the kind of event that a file is for; events of another kind are
	// refused with a [ParquetKindError].
	Kind ParquetKind
}

const (
	defaultRowGroupBytes = 8 << 20
	minRowGroupBytes     = 64 << 10
)

// ErrParquetOption is what every error of [NewParquet] wraps.
var ErrParquetOption = errors.New("encode: unusable parquet option")

// ParquetKindError is the reason why an event was refused that the columns of
// the file are not made for. One file cannot hold both kinds: give each an
// encoder and an object of its own, or export this event as JSON.
type ParquetKindError struct {
	File  ParquetKind // what the file holds
	Event string      // the Go type of the event
}

func (e *ParquetKindError) Error() string {
	return fmt.Sprintf("encode: a parquet file of %s events has no columns for %s; give it a file of its own, or export it as json", e.File, e.Event)
}

// Parquet writes a batch as one Parquet file with the columns, types and
// repetition of the library's own files. The value column holds the value as
// JSON text, null for a nil value. The columns that are maps hold text: a string
// as it is, anything else as JSON. Keys of a map are written in order, and the
// same batch gives the same bytes each time, so that an upload that is tried
// again replaces itself. Bytes that are not UTF-8 become U+FFFD, as in JSON: one
// of them makes readers give up the whole file.
//
// It is safe for several goroutines. A call works in the buffers of an earlier
// one, if they are free.
type Parquet struct {
	options ParquetOptions

	// Free *parquetTable. One that failed is never put back.
	feature, tracking sync.Pool
}

var _ Encoder = (*Parquet)(nil)

// NewParquet checks the options. Its errors wrap [ErrParquetOption].
func NewParquet(o ParquetOptions) (*Parquet, error) {
	codec, err := parquetCodec(o.CompressionCodec)
	if err != nil {
		return nil, err
	}
	switch {
	case o.RowGroupBytes == 0:
		o.RowGroupBytes = defaultRowGroupBytes
	case o.RowGroupBytes < minRowGroupBytes:
		return nil, fmt.Errorf("%w: RowGroupBytes is %d: give 0 for the default or at least %d", ErrParquetOption, o.RowGroupBytes, minRowGroupBytes)
	}
	switch o.Kind {
	case KindOfFirst, KindFeature, KindTracking:
	default:
		return nil, fmt.Errorf("%w: Kind %q: give %q, %q, or nothing for the kind of a batch's first event", ErrParquetOption, o.Kind, KindFeature, KindTracking)
	}
	p := &Parquet{options: o}
	p.feature.New = func() any { return newParquetTable(featureSchema, codec) }
	p.tracking.New = func() any { return newParquetTable(trackingSchema, codec) }
	return p, nil
}

// Format is "parquet".
func (*Parquet) Format() string { return "parquet" }

// ContentType is the registered media type of Parquet files.
func (*Parquet) ContentType() string { return "application/vnd.apache.parquet" }

// Encode writes one complete file: with no rows, but readable, where no event
// could be encoded. It writes to w as row groups fill and never seeks. An error
// comes from w, or says that the file cannot hold so many row groups; what was
// written is then not a file.
func (p *Parquet) Encode(w io.Writer, events []ffexporter.ExportableEvent) ([]Refused, error) {
	kind := p.options.Kind
	if kind == KindOfFirst {
		kind = kindOf(events)
	}
	pool, add := &p.feature, (*parquetTable).addFeature
	if kind == KindTracking {
		pool, add = &p.tracking, (*parquetTable).addTracking
	}

	t := pool.Get().(*parquetTable)
	t.begin(w, p.options.RowGroupBytes)
	var refused []Refused
	for i, e := range events {
		if err := add(t, e); err != nil {
			refused = append(refused, Refused{Index: i, Event: e, Err: err})
			continue
		}
		if err := t.spill(); err != nil {
			return refused, err
		}
	}
	if err := t.end(); err != nil {
		return refused, err
	}
	pool.Put(t)
	return refused, nil
}

// kindOf is the kind of the first event that has columns.
func kindOf(events []ffexporter.ExportableEvent) ParquetKind {
	for _, e := range events {
		switch e.(type) {
		case ffexporter.FeatureEvent, *ffexporter.FeatureEvent:
			return KindFeature
		case ffexporter.TrackingEvent, *ffexporter.TrackingEvent:
			return KindTracking
		}
	}
	return KindFeature
}
