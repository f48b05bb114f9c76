package jsonline

import (
	"encoding/json"
	"strconv"
)

// maxDepth is how deep values may be nested before json.Marshal takes over,
// which finds cycles. Deeper values are as right, only slower.
const maxDepth = 100

// AppendValue appends v. If it returns an error, which is json.Marshal's, dst is
// returned as long as it was.
func AppendValue(dst []byte, v any) ([]byte, error) {
	return appendValue(dst, v, maxDepth)
}

// AppendMap appends m with its keys in order, a nil map as null. If it returns an
// error, dst is returned as long as it was.
func AppendMap(dst []byte, m map[string]any) ([]byte, error) {
	return appendMap(dst, m, maxDepth)
}

func appendValue(dst []byte, v any, depth int) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case string:
		return AppendString(dst, v), nil
	case float64:
		return AppendFloat(dst, v, 64)
	case float32:
		return AppendFloat(dst, float64(v), 32)
	case int:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case int32:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case int16:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case int8:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case uint:
		return strconv.AppendUint(dst, uint64(v), 10), nil
	case uint64:
		return strconv.AppendUint(dst, v, 10), nil
	case uint32:
		return strconv.AppendUint(dst, uint64(v), 10), nil
	case uint16:
		return strconv.AppendUint(dst, uint64(v), 10), nil
	case uint8:
		return strconv.AppendUint(dst, uint64(v), 10), nil
	case map[string]any:
		return appendMap(dst, v, depth)
	case []any:
		return appendSlice(dst, v, depth)
	case []string:
		return appendStrings(dst, v), nil
	}
	return marshal(dst, v)
}

// marshal appends what json.Marshal returns.
func marshal(dst []byte, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return dst, err
	}
	return append(dst, b...), nil
}

func appendSlice(dst []byte, values []any, depth int) (_ []byte, err error) {
	if values == nil {
		return append(dst, "null"...), nil
	}
	if depth == 0 {
		return marshal(dst, values)
	}
	start := len(dst)
	dst = append(dst, '[')
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendValue(dst, v, depth-1); err != nil {
			return dst[:start], err
		}
	}
	return append(dst, ']'), nil
}

func appendStrings(dst []byte, values []string) []byte {
	if values == nil {
		return append(dst, "null"...)
	}
	dst = append(dst, '[')
	for i, s := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, s)
	}
	return append(dst, ']')
}
