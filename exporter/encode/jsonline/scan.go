package jsonline

import "encoding/binary"

const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// copyPlain copies s, which is as long as dst, and says whether it had no byte
// that may be special. If it had, dst may hold anything. The last word of a
// string overlaps the one before it.
func copyPlain(dst []byte, s string) bool {
	n := len(s)
	if len(dst) != n {
		return false // which it never is, and the compiler now knows
	}
	switch {
	case n >= 8:
		for i := 0; i < n-8; i += 8 {
			x := load64(s[i : i+8])
			if suspect(x) {
				return false
			}
			binary.LittleEndian.PutUint64(dst[i:i+8], x)
		}
		x := load64(s[n-8:])
		if suspect(x) {
			return false
		}
		binary.LittleEndian.PutUint64(dst[n-8:], x)
	case n >= 4:
		low, high := load32(s), load32(s[n-4:])
		if suspect(uint64(high)<<32 | uint64(low)) {
			return false
		}
		binary.LittleEndian.PutUint32(dst, low)
		binary.LittleEndian.PutUint32(dst[n-4:], high)
	default:
		for i := range n {
			if special[s[i]] {
				return false
			}
			dst[i] = s[i]
		}
	}
	return true
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

// suspect says whether one of the eight bytes may be special. It errs only to
// the safe side, for ^ | and ~: bytes that differ in one or two bits are compared
// as one, with these bits cleared.
//
// In ASCII a subtraction sets the high bit of a byte that is too small for it, and
// may then borrow from the bytes above. The answer is yes already.
func suspect(x uint64) bool {
	const (
		quoteAmp = '"' &^ 0x04 * ones  // 0x22 and 0x26
		angles   = '\\' &^ 0x62 * ones // 0x3c, 0x3e and 0x5c, but also 0x1c to 0x1e, 0x5e, 0x7c and 0x7e
	)
	control := x - ' '*ones
	quote := (x&^(0x04*ones) ^ quoteAmp) - ones
	angle := (x&^(0x62*ones) ^ angles) - ones
	return (x|control|quote|angle)&highs != 0
}
