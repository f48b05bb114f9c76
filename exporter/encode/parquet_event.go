package encode

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/offlock/offlock/exporter/encode/jsonline"
	"github.com/parquet-go/parquet-go"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
)

// Leaf columns by number, in the order of featureSchema and trackingSchema. The first
// five are the same in both. A map has two: its keys, then its values.
const (
	colKind = iota
	colContextKind
	colUserKey
	colCreationDate
	colKey

	colVariation
	colValue
	colDefault
	colVersion
	colSource
	colMetadata

	colContext = colKey + 1
	colDetails = colContext + 2
)

var errNoEvent = errors.New("encode: there is no event: it is nil")

// addFeature adds a row, or nothing where it returns an error.
func (t *parquetTable) addFeature(event ffexporter.ExportableEvent) error {
	switch e := event.(type) {
	case ffexporter.FeatureEvent:
		return t.featureRow(&e)
	case *ffexporter.FeatureEvent:
		if e != nil {
			return t.featureRow(e)
		}
	}
	return notFor(KindFeature, event)
}

// addTracking adds a row, or nothing where it returns an error.
func (t *parquetTable) addTracking(event ffexporter.ExportableEvent) error {
	switch e := event.(type) {
	case ffexporter.TrackingEvent:
		return t.trackingRow(&e)
	case *ffexporter.TrackingEvent:
		if e != nil {
			return t.trackingRow(e)
		}
	}
	return notFor(KindTracking, event)
}

func (t *parquetTable) featureRow(e *ffexporter.FeatureEvent) error {
	row := t.mark()
	if err := t.putJSON(colValue, e.Value); err != nil {
		return t.undo(row, "value", err)
	}
	if err := t.putMap(colMetadata, e.Metadata); err != nil {
		return t.undo(row, "metadata", err)
	}
	t.putString(colKind, e.Kind)
	t.putString(colContextKind, e.ContextKind)
	t.putString(colUserKey, e.UserKey)
	t.put(colCreationDate, parquet.Int64Value(e.CreationDate))
	t.putString(colKey, e.Key)
	t.putString(colVariation, e.Variation)
	t.put(colDefault, parquet.BooleanValue(e.Default))
	t.putString(colVersion, e.Version)
	t.putString(colSource, e.Source)
	t.rows++
	return nil
}

func (t *parquetTable) trackingRow(e *ffexporter.TrackingEvent) error {
	row := t.mark()
	if err := t.putMap(colContext, e.EvaluationContext); err != nil {
		return t.undo(row, "evaluationContext", err)
	}
	if err := t.putMap(colDetails, e.TrackingDetails); err != nil {
		return t.undo(row, "trackingEventDetails", err)
	}
	t.putString(colKind, e.Kind)
	t.putString(colContextKind, e.ContextKind)
	t.putString(colUserKey, e.UserKey)
	t.put(colCreationDate, parquet.Int64Value(e.CreationDate))
	t.putString(colKey, e.Key)
	t.rows++
	return nil
}

func notFor(file ParquetKind, event ffexporter.ExportableEvent) error {
	if v := reflect.ValueOf(event); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return errNoEvent
	}
	return &ParquetKindError{File: file, Event: fmt.Sprintf("%T", event)}
}

// putJSON adds v as JSON text.
func (t *parquetTable) putJSON(column int, v any) (err error) {
	start := len(t.text)
	if t.text, err = appendJSON(t.text, v); err != nil {
		return err
	}
	t.putText(column, t.text[start:len(t.text):len(t.text)])
	return nil
}

// mapEntry is one of a map's.
type mapEntry struct {
	key   string
	value any
}

// putMap adds one row to the two columns of a map, its keys in order.
func (t *parquetTable) putMap(column int, m map[string]any) error {
	if len(m) == 0 {
		t.put(column, parquet.NullValue().Level(0, 0, column))
		t.put(column+1, parquet.NullValue().Level(0, 0, column+1))
		return nil
	}
	for k, v := range m {
		t.entries = append(t.entries, mapEntry{k, v})
	}
	slices.SortFunc(t.entries, func(a, b mapEntry) int { return strings.Compare(a.key, b.key) })
	defer func() {
		clear(t.entries)
		t.entries = t.entries[:0]
	}()

	again := 0 // 1 from the second entry of the row on
	for _, e := range t.entries {
		start := len(t.text)
		t.text = appendUTF8(t.text, e.key)
		middle := len(t.text)
		var err error
		if t.text, err = appendMapValue(t.text, e.value); err != nil {
			return fmt.Errorf("key %q: %w", e.key, err)
		}
		t.putEntry(column, t.text[start:middle:middle], again)
		t.putEntry(column+1, t.text[middle:len(t.text):len(t.text)], again)
		again = 1
	}
	return nil
}

// appendMapValue appends what stands in a map column: a string as it is, so that
// it can be compared in a query, anything else as JSON.
func appendMapValue(dst []byte, v any) ([]byte, error) {
	if s, ok := v.(string); ok {
		return appendUTF8(dst, s), nil
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.String {
		return appendUTF8(dst, r.String()), nil
	}
	return appendJSON(dst, v)
}

// appendJSON is jsonline.AppendValue for values whose own methods may panic.
func appendJSON(dst []byte, v any) (out []byte, err error) {
	defer contain(dst, &out, &err)
	return jsonline.AppendValue(dst, v)
}
