// Package jsonline appends JSON to a byte slice: the bytes that encoding/json's
// Marshal returns, without reflection and without allocating for the values
// that events hold.
//
// It is for encoders of one known struct, which write the braces and the field
// names themselves and call this package for the values:
//
//	dst = append(dst, `{"user":`...)
//	dst = jsonline.AppendString(dst, user)
//	dst = append(dst, `,"details":`...)
//	dst, err = jsonline.AppendMap(dst, details)
//
// # What it promises
//
//   - The bytes are those of encoding/json in the same program, for every value:
//     escaping of HTML characters, U+2028 and bytes that are not UTF-8, the
//     format of numbers, sorted keys.
//   - Booleans, strings, integers, floats, and maps and slices of these with
//     string keys are written here. Every other type is given to json.Marshal,
//     so that json.Marshaler, encoding.TextMarshaler and struct tags are heard.
//   - What json.Marshal refuses is refused with the same error, cycles included,
//     and then the slice is returned as long as it was.
//   - Nothing allocates but the growth of the slice, as long as json.Marshal is
//     not needed. Maps of more than a few keys are sorted in pooled memory, which
//     keeps no reference to them.
//
// # Limits
//
// A panic of a value's own methods goes to the caller. A map that another
// goroutine writes to meanwhile ends the program, as it does with encoding/json.
//
// The package imports the standard library alone.
package jsonline
