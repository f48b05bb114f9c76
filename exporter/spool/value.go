package spool

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
)

// A value in a batch file is a tag and what belongs to it. The tags name Go's types, for a number alone is not enough to write an
// event again: JSON writes the float 1e6 as 1000000 and a CSV template as 1e+06, and either writes the int as 1000000.
const (
	tagNil byte = iota
	tagFalse
	tagTrue
	tagString
	tagInt
	tagInt8
	tagInt16
	tagInt32
	tagInt64
	tagUint
	tagUint8
	tagUint16
	tagUint32
	tagUint64
	tagFloat32
	tagFloat64
	tagNumber
	tagList
	tagNilList
	tagMap
	tagNilMap
	tagRendered
	tagUnwritable
)

// maxDepth is how deep values may be nested. It is the depth that encoding/json reads, so nothing that came from JSON is deeper.
const maxDepth = 10_000

var errTooDeep = errors.New("spool: a value of an event is nested too deep, or holds itself")

// appendValue appends the value of an event: see doc.go for which types keep their type.
func appendValue(dst []byte, value any, depth int) []byte {
	switch v := value.(type) {
	case nil:
		return append(dst, tagNil)
	case bool:
		if v {
			return append(dst, tagTrue)
		}
		return append(dst, tagFalse)
	case string:
		return appendString(append(dst, tagString), v)
	case int:
		return binary.AppendVarint(append(dst, tagInt), int64(v))
	case int8:
		return binary.AppendVarint(append(dst, tagInt8), int64(v))
	case int16:
		return binary.AppendVarint(append(dst, tagInt16), int64(v))
	case int32:
		return binary.AppendVarint(append(dst, tagInt32), int64(v))
	case int64:
		return binary.AppendVarint(append(dst, tagInt64), v)
	case uint:
		return binary.AppendUvarint(append(dst, tagUint), uint64(v))
	case uint8:
		return binary.AppendUvarint(append(dst, tagUint8), uint64(v))
	case uint16:
		return binary.AppendUvarint(append(dst, tagUint16), uint64(v))
	case uint32:
		return binary.AppendUvarint(append(dst, tagUint32), uint64(v))
	case uint64:
		return binary.AppendUvarint(append(dst, tagUint64), v)
	case float32:
		return binary.BigEndian.AppendUint32(append(dst, tagFloat32), math.Float32bits(v))
	case float64:
		return binary.BigEndian.AppendUint64(append(dst, tagFloat64), math.Float64bits(v))
	case json.Number:
		return appendString(append(dst, tagNumber), string(v))
	case rendered:
		return appendRendered(dst, v)
	}
	if depth == 1 {
		return appendNested(dst, value)
	}
	return appendComposite(dst, value, depth)
}

// appendNested appends an element of a field's value. One that is nested too deep is given up as a whole, as JSON gives it up: to
// follow each of its other branches as far might never end.
func appendNested(dst []byte, value any) (appended []byte) {
	defer func() {
		if reason := recover(); reason == any(errTooDeep) {
			appended = appendRendered(dst, rendered{text: textTooDeep, err: errTooDeep.Error()})
		} else if reason != nil {
			panic(reason)
		}
	}()
	return appendComposite(dst, value, 1)
}

func appendComposite(dst []byte, value any, depth int) []byte {
	if depth == maxDepth {
		panic(errTooDeep) // for appendNested
	}
	switch v := value.(type) {
	case []any:
		return appendList(dst, v, depth)
	case map[string]any:
		return appendMap(dst, v, depth)
	}
	return appendOther(dst, value, depth)
}

func appendList(dst []byte, list []any, depth int) []byte {
	if list == nil {
		return append(dst, tagNilList)
	}
	dst = binary.AppendUvarint(append(dst, tagList), uint64(len(list)))
	for _, element := range list {
		dst = appendValue(dst, element, depth+1)
	}
	return dst
}

// appendMap writes the keys in order, so that a batch has one encoding.
func appendMap(dst []byte, m map[string]any, depth int) []byte {
	if m == nil {
		return append(dst, tagNilMap)
	}
	dst = binary.AppendUvarint(append(dst, tagMap), uint64(len(m)))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		dst = appendValue(appendString(dst, key), m[key], depth+1)
	}
	return dst
}

// appendOther takes pointers, slices and maps of other types apart if they are written like []any and map[string]any,
// and renders the rest.
func appendOther(dst []byte, value any, depth int) []byte {
	v := reflect.ValueOf(value)
	switch {
	case writesItself(value):
		return appendRendered(dst, render(value))
	case v.Kind() == reflect.Chan, v.Kind() == reflect.Func:
		return append(dst, tagUnwritable)
	case v.Kind() == reflect.Pointer && !v.IsNil():
		return appendValue(dst, v.Elem().Interface(), depth+1)
	case v.Kind() == reflect.Array, v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		if v.Kind() == reflect.Slice && v.IsNil() {
			return append(dst, tagNilList)
		}
		dst = binary.AppendUvarint(append(dst, tagList), uint64(v.Len()))
		for i := range v.Len() {
			dst = appendValue(dst, v.Index(i).Interface(), depth+1)
		}
		return dst
	case v.Kind() == reflect.Map && v.Type().Key() == reflect.TypeFor[string]():
		if v.IsNil() {
			return append(dst, tagNilMap)
		}
		m := make(map[string]any, v.Len())
		for key, element := range v.Seq2() {
			m[key.String()] = element.Interface()
		}
		return appendMap(dst, m, depth)
	}
	return appendRendered(dst, render(value))
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendRendered(dst []byte, r rendered) []byte {
	return appendString(appendString(appendString(append(dst, tagRendered), r.json), r.text), r.err)
}

// value reads what appendValue wrote.
func (d *decoder) value(depth int) any {
	tag := d.byte()
	if d.err == nil && depth > maxDepth {
		d.fail(errTooDeep)
	}
	if d.err != nil {
		return nil
	}
	switch tag {
	case tagNil:
		return nil
	case tagFalse, tagTrue:
		return tag == tagTrue
	case tagString:
		return d.string()
	case tagNumber:
		return json.Number(d.string())
	case tagFloat32:
		return math.Float32frombits(uint32(d.fixed(4)))
	case tagFloat64:
		return math.Float64frombits(d.fixed(8))
	case tagList:
		list := []any{}
		for n := d.count(); n > 0 && d.err == nil; n-- {
			list = append(list, d.value(depth+1))
		}
		return list
	case tagNilList:
		return []any(nil)
	case tagMap:
		m := map[string]any{}
		for n := d.count(); n > 0 && d.err == nil; n-- {
			key := d.string()
			m[key] = d.value(depth + 1)
		}
		return m
	case tagNilMap:
		return map[string]any(nil)
	case tagRendered:
		return rendered{json: d.string(), text: d.string(), err: d.string()}
	case tagUnwritable:
		return (chan struct{})(nil) // which JSON and templates refuse, too
	}
	return d.integer(tag)
}

func (d *decoder) integer(tag byte) any {
	switch tag {
	case tagInt:
		return int(d.varint())
	case tagInt8:
		return int8(d.varint())
	case tagInt16:
		return int16(d.varint())
	case tagInt32:
		return int32(d.varint())
	case tagInt64:
		return d.varint()
	case tagUint:
		return uint(d.uvarint())
	case tagUint8:
		return uint8(d.uvarint())
	case tagUint16:
		return uint16(d.uvarint())
	case tagUint32:
		return uint32(d.uvarint())
	case tagUint64:
		return d.uvarint()
	}
	d.fail(fmt.Errorf("spool: a value with the unknown tag %d", tag))
	return nil
}
