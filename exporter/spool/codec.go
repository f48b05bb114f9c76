package spool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/exporter"
)

// What a batch file holds under its header: the batch, then the names of the fields of the two kinds of event as the library
// has them when the file is written, then the events, each a kind and the values of its fields. So a library that has gained
// a field neither loses it in a file nor reads an older file wrongly.

// kinds are the types of events that a file can hold. A pointer's kind is its type's, plus pointerTo.
var kinds = [pointerTo]kind{kindOf[ffexporter.FeatureEvent](), kindOf[ffexporter.TrackingEvent]()}

const pointerTo = 2

type kind struct {
	reflect.Type
	fields []reflect.StructField // the exported ones
}

func kindOf[E any]() kind {
	k := kind{Type: reflect.TypeFor[E]()}
	for i := range k.NumField() {
		if field := k.Field(i); field.IsExported() {
			k.fields = append(k.fields, field)
		}
	}
	return k
}

// appendBatch appends the batch and its events.
func appendBatch(dst []byte, b exporter.Batch, events []ffexporter.ExportableEvent) ([]byte, error) {
	dst = appendString(dst, b.Instance)
	dst = binary.AppendVarint(dst, b.First)
	dst = binary.AppendVarint(dst, b.Last)
	dst = binary.AppendVarint(dst, int64(b.Attempt))
	dst = appendTime(dst, b.Began)
	for _, kind := range kinds {
		dst = binary.AppendUvarint(dst, uint64(len(kind.fields)))
		for _, field := range kind.fields {
			dst = appendString(dst, field.Name)
		}
	}
	dst = binary.AppendUvarint(dst, uint64(len(events)))
	for _, event := range events {
		var err error
		if dst, err = appendEvent(dst, event); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// appendTime writes the time with its zone, so that a name made of it is the same. (Time.MarshalBinary refuses some zones.)
func appendTime(dst []byte, t time.Time) []byte {
	zone, offset := t.Zone()
	dst = binary.AppendVarint(dst, t.Unix())
	dst = binary.AppendVarint(dst, int64(t.Nanosecond()))
	return appendString(binary.AppendVarint(dst, int64(offset)), zone)
}

func (d *decoder) time() time.Time {
	t := time.Unix(d.varint(), d.varint())
	if offset, zone := int(d.varint()), d.string(); offset != 0 || zone != "UTC" {
		return t.In(time.FixedZone(zone, offset))
	}
	return t.UTC()
}

func appendEvent(dst []byte, event ffexporter.ExportableEvent) ([]byte, error) {
	var number byte
	switch e := event.(type) {
	case ffexporter.FeatureEvent:
	case ffexporter.TrackingEvent:
		number = 1
	case *ffexporter.FeatureEvent:
		if e == nil {
			return dst, &UnsupportedError{event}
		}
		number = pointerTo
	case *ffexporter.TrackingEvent:
		if e == nil {
			return dst, &UnsupportedError{event}
		}
		number = pointerTo + 1
	default:
		return dst, &UnsupportedError{event}
	}
	dst = append(dst, number)
	v := reflect.Indirect(reflect.ValueOf(event))
	for _, field := range kinds[number%pointerTo].fields {
		dst = appendValue(dst, v.FieldByIndex(field.Index).Interface(), 0)
	}
	return dst, nil
}

// decodeBatch reads what appendBatch wrote.
func decodeBatch(payload []byte) (exporter.Batch, []ffexporter.ExportableEvent, error) {
	d := &decoder{rest: payload}
	b := exporter.Batch{Instance: d.string(), First: d.varint(), Last: d.varint(), Attempt: int(d.varint()), Began: d.time()}
	var fields [pointerTo][][]int
	for i, kind := range kinds {
		fields[i] = d.fields(kind)
	}
	events := make([]ffexporter.ExportableEvent, 0, d.count())
	for range cap(events) {
		events = append(events, d.event(fields))
	}
	if d.err == nil && len(d.rest) > 0 {
		d.fail(fmt.Errorf("spool: %d bytes follow the last event", len(d.rest)))
	}
	return b, events, d.err
}

// fields reads the names of a kind's fields, and returns where each is in the type. A nil place is a field that the
// type does not have.
func (d *decoder) fields(of kind) [][]int {
	places := make([][]int, d.count())
	for i := range places {
		name := d.string()
		for _, field := range of.fields {
			if field.Name == name {
				places[i] = field.Index
			}
		}
	}
	return places
}

func (d *decoder) event(fields [pointerTo][][]int) ffexporter.ExportableEvent {
	number := d.byte()
	if d.err == nil && int(number) >= 2*pointerTo {
		d.fail(fmt.Errorf("spool: an event of the unknown kind %d", number))
	}
	if d.err != nil {
		return nil
	}
	event := reflect.New(kinds[number%pointerTo].Type)
	for _, place := range fields[number%pointerTo] {
		d.set(event.Elem(), place, d.value(0))
	}
	if number < pointerTo {
		event = event.Elem()
	}
	return event.Interface().(ffexporter.ExportableEvent)
}

// set puts a value into its field.
func (d *decoder) set(event reflect.Value, place []int, value any) {
	v := reflect.ValueOf(value)
	switch {
	case d.err != nil, !v.IsValid(): // nil is what the field holds already
	case place == nil && v.IsZero():
	case place == nil:
		d.fail(errors.New("spool: an event has a field that this version of the library lacks; send it with the version that wrote it"))
	case !v.Type().AssignableTo(event.FieldByIndex(place).Type()):
		d.fail(fmt.Errorf("spool: a field of type %v holds a %v", event.FieldByIndex(place).Type(), v.Type()))
	default:
		event.FieldByIndex(place).Set(v)
	}
}
