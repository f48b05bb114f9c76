package jsonline

import (
	"encoding/json"
	"slices"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// replacement stands for each byte that is not UTF-8: \ufffd escaped, or the rune
// itself in programs that are built with GOEXPERIMENT=jsonv2.
var replacement = func() string {
	b, err := json.Marshal("\xff")
	if err != nil {
		return `\ufffd`
	}
	return string(b[1 : len(b)-1])
}()

// special has a set entry for each byte that is not written as it is: control
// characters, quotation mark and backslash, the three that mean something in
// HTML, and all beyond ASCII, which have to be looked at as runes.
var special = func() (t [256]bool) {
	for c := range t {
		t[c] = c < ' ' || c >= utf8.RuneSelf
	}
	for _, c := range `"\<>&` {
		t[c] = true
	}
	return t
}()

// AppendString appends s as a JSON string, quotation marks included.
//
// It copies and looks for special bytes at once, eight bytes at a time. Strings
// that have any are rare, and begun anew byte by byte.
func AppendString(dst []byte, s string) []byte {
	start, end := len(dst), len(dst)+len(s)+2
	if cap(dst) < end {
		dst = slices.Grow(dst, len(s)+2)
	}
	out := dst[start:end]
	out[0] = '"'
	if !copyPlain(out[1:end-start-1], s) {
		return append(appendEscaped(dst[:start+1], s), '"')
	}
	out[len(out)-1] = '"'
	return dst[:end]
}

func appendEscaped(dst []byte, s string) []byte {
	start, i := 0, 0
	for i < len(s) {
		c := s[i]
		if !special[c] {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			dst = append(dst, s[start:i]...)
			dst = appendEscape(dst, c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(dst, s[start:i]...)
			dst = append(dst, replacement...)
			start = i + size
		case r == '\u2028' || r == '\u2029': // ends a line in older JavaScript
			dst = append(dst, s[start:i]...)
			dst = append(dst, `\u202`...)
			dst = append(dst, hexDigits[r&0xf])
			start = i + size
		}
		i += size
	}
	return append(dst, s[start:]...)
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}
