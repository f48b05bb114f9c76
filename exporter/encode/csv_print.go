package encode

import (
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/offlock/offlock/exporter/encode/jsonline"
)

func appendPrintedJSON(dst []byte, v any) (_ []byte, ok bool) {
	dst, err := jsonline.AppendValue(dst, v)
	return dst, err == nil
}

// jsonText is the function json of templates.
func jsonText(v any) (string, error) {
	b, err := jsonline.AppendValue(nil, v)
	return string(b), err
}

// appendPrinted appends a value as a template prints it.
func appendPrinted(dst []byte, v any) (_ []byte, ok bool) {
	if v == nil {
		return append(dst, "<no value>"...), true
	}
	return appendNested(dst, v, maxDepth)
}

// maxDepth is how deep a value may be nested that is printed here.
const maxDepth = 100

// appendNested appends a value as package fmt prints it: what can come as JSON, and
// integers.
func appendNested(dst []byte, v any, depth int) (_ []byte, ok bool) {
	switch v := v.(type) {
	case nil:
		return append(dst, "<nil>"...), true
	case bool:
		return strconv.AppendBool(dst, v), true
	case string:
		return append(dst, v...), true
	case int:
		return strconv.AppendInt(dst, int64(v), 10), true
	case int64:
		return strconv.AppendInt(dst, v, 10), true
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return dst, false
		}
		return strconv.AppendFloat(dst, v, 'g', -1, 64), true
	case []any:
		if depth == 0 {
			return dst, false
		}
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ' ')
			}
			if dst, ok = appendNested(dst, e, depth-1); !ok {
				return dst, false
			}
		}
		return append(dst, ']'), true
	case map[string]any:
		if depth == 0 {
			return dst, false
		}
		var few [8]string
		keys := few[:0]
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		dst = append(dst, "map["...)
		for i, k := range keys {
			if i > 0 {
				dst = append(dst, ' ')
			}
			dst = append(append(dst, k...), ':')
			if dst, ok = appendNested(dst, v[k], depth-1); !ok {
				return dst, false
			}
		}
		return append(dst, ']'), true
	}
	return dst, false
}

// maxPrinted is how deep a value may be nested to be printed. Package fmt does not
// notice a map that holds itself, and ends the program when its stack is full.
const maxPrinted = 1000

func tooDeep(v any) bool { return anyDeeperThan(maxPrinted, v, true) }

// anyDeeperThan is deeperThan, without reflection for what is frequent.
func anyDeeperThan(depth int, v any, top bool) bool {
	switch v := v.(type) {
	case nil, bool, string, int, int64, float64:
		return false
	case map[string]any:
		for _, e := range v {
			if depth == 0 || anyDeeperThan(depth-1, e, false) {
				return true
			}
		}
		return false
	case []any:
		for _, e := range v {
			if depth == 0 || anyDeeperThan(depth-1, e, false) {
				return true
			}
		}
		return false
	}
	return deeperThan(depth, reflect.ValueOf(v), top)
}

func deeperThan(depth int, v reflect.Value, top bool) bool {
	if depth == 0 {
		return true
	}
	switch v.Kind() {
	case reflect.Pointer:
		// Templates follow pointers to the value; those in it are printed as addresses.
		return top && !v.IsNil() && deeperThan(depth-1, v.Elem(), top)
	case reflect.Interface:
		return deeperThan(depth, v.Elem(), top)
	case reflect.Map:
		for entry := v.MapRange(); entry.Next(); {
			if deeperThan(depth-1, entry.Key(), false) || deeperThan(depth-1, entry.Value(), false) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		if flat(v.Type().Elem()) {
			return false
		}
		for i := range v.Len() {
			if deeperThan(depth-1, v.Index(i), false) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if deeperThan(depth-1, v.Field(i), false) {
				return true
			}
		}
	}
	return false
}

// flat types hold no others.
func flat(t reflect.Type) bool { return t.Kind() <= reflect.Complex128 || t.Kind() == reflect.String }
