package jsonline

import (
	"math"
	"strconv"
)

// AppendFloat appends f in the format of JavaScript: an exponent only below
// 1e-6 and from 1e21 on. bits is 32 for a value that was a float32, otherwise 64.
// Infinities and NaN are an error.
func AppendFloat(dst []byte, f float64, bits int) ([]byte, error) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		if bits == 32 {
			return marshal(dst, float32(f))
		}
		return marshal(dst, f)
	}
	// Whole numbers are frequent, since every number that came as JSON is a float.
	// Below this limit all of them exist, so all their digits are written.
	limit := int64(1) << 53
	if bits == 32 {
		limit = 1 << 24
	}
	if i := int64(f); float64(i) == f && -limit < i && i < limit && (i != 0 || !math.Signbit(f)) {
		return strconv.AppendInt(dst, i, 10), nil
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 {
		if bits == 64 && (abs < 1e-6 || abs >= 1e21) ||
			bits == 32 && (float32(abs) < 1e-6 || float32(abs) >= 1e21) {
			format = 'e'
		}
	}
	dst = strconv.AppendFloat(dst, f, format, -1, bits)
	if n := len(dst); format == 'e' && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // e-07 is written e-7
		dst = dst[:n-1]
	}
	return dst, nil
}
