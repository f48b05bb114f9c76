package encode

import (
	"encoding/binary"
	"slices"
)

const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// appendText appends a field of text. It copies and looks for what calls for quotes
// at once, eight bytes at a time, the last word over part of the one before it.
// Fields that have any are rare, and begun anew.
func (q *csvQuotes) appendText(dst []byte, s string, style quoteStyle) []byte {
	start, n := len(dst), len(s)
	if cap(dst)-start < n {
		dst = slices.Grow(dst, n)
	}
	out := dst[start : start+n]
	var found uint64
	switch {
	case n >= 8:
		for i := 0; i < n-8; i += 8 {
			x := load64(s[i : i+8])
			found |= q.suspect(x)
			binary.LittleEndian.PutUint64(out[i:i+8], x)
		}
		x := load64(s[n-8:])
		found |= q.suspect(x)
		binary.LittleEndian.PutUint64(out[n-8:], x)
	case n >= 4:
		low, high := load32(s), load32(s[n-4:])
		found = q.suspect(uint64(high)<<32 | uint64(low))
		binary.LittleEndian.PutUint32(out, low)
		binary.LittleEndian.PutUint32(out[n-4:], high)
	default:
		found = highs
		copy(out, s)
	}
	if dst = dst[:start+n]; found&highs == 0 && !q.several {
		return dst
	}
	return q.settle(dst, start, style)
}

// suspect sets the high bit of some byte if one of eight may call for quotes. It errs
// only to the safe side, and only for control characters: in ASCII a subtraction
// sets the high bit of a byte that is too small for it, and what this borrows
// from the bytes above matters no more then. Bytes beyond ASCII call for nothing.
func (q *csvQuotes) suspect(x uint64) uint64 {
	control := x - ' '*ones
	quote := (x ^ '"'*ones) - ones
	delimiter := (x ^ q.delimiter) - ones
	return (control | quote | delimiter) &^ x
}

// load64 is one instruction on machines that store the low byte first.
func load64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func load32(s string) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}
