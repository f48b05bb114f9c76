package spool

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// rendered stands for a value whose type a file cannot keep. It is written as the value was: the same JSON, the same text, and
// the same refusal if it cannot be written as JSON.
type rendered struct {
	json, text string
	err        string // why there is no JSON
}

// render writes the value down, both ways.
func render(value any) rendered {
	r := rendered{text: text(value)}
	encoded, err := marshal(value)
	if err != nil {
		r.err = err.Error()
	}
	r.json = string(encoded)
	return r
}

// marshal is [json.Marshal], for a value whose own method may panic.
func marshal(value any) (encoded []byte, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			encoded, err = nil, fmt.Errorf("spool: the value's own encoding panicked: %v", reason)
		}
	}()
	return json.Marshal(value)
}

// text is what a template prints for the value.
func text(value any) string {
	v := reflect.ValueOf(value)
	if v.Kind() == reflect.Pointer && !v.IsNil() && !printsItself(value) {
		return text(v.Elem().Interface())
	}
	if tooDeep(v, 0) {
		return textTooDeep
	}
	return fmt.Sprint(value)
}

// textTooDeep is the text of a value that package fmt would not come to an end with: it holds itself, or might as well.
const textTooDeep = "(nested too deep)"

// tooDeep follows what package fmt follows: everything but pointers inside of other values.
func tooDeep(v reflect.Value, depth int) bool {
	if depth > maxDepth {
		return true
	}
	switch v.Kind() {
	case reflect.Interface:
		return !v.IsNil() && tooDeep(v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if tooDeep(v.Index(i), depth+1) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if tooDeep(v.Field(i), depth+1) {
				return true
			}
		}
	case reflect.Map:
		for _, element := range v.Seq2() {
			if tooDeep(element, depth+1) {
				return true
			}
		}
	}
	return false
}

// writesItself says whether the value has a say in how it is written.
func writesItself(value any) bool {
	switch value.(type) {
	case json.Marshaler, encoding.TextMarshaler:
		return true
	}
	return printsItself(value)
}

func printsItself(value any) bool {
	switch value.(type) {
	case error, fmt.Stringer, fmt.Formatter:
		return true
	}
	return false
}

// MarshalJSON returns the JSON of the value.
func (r rendered) MarshalJSON() ([]byte, error) {
	if r.err != "" {
		return nil, errors.New(r.err)
	}
	return []byte(r.json), nil
}

// String returns the text of the value.
func (r rendered) String() string { return r.text }
