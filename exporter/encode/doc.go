// Package encode turns events of go-feature-flag into JSON lines, CSV or Parquet.
// It is what the exporters of this module use, and stands by itself where an
// exporter of your own has to write files or requests.
//
// An [Encoder] writes a batch to a stream:
//
//	refused, err := encode.JSON{}.Encode(w, events)
//
// [JSON] and [CSV] also append single events to a buffer.
//
// # What it promises
//
//   - JSON is byte for byte what the library's FormatInJSON returns, and a CSV line
//     from a template of your own what its FormatInCSV returns. Parquet has the
//     library's columns and types.
//   - The default CSV template quotes its fields as RFC 4180 says; your own
//     templates do if asked for. Tracking events have a default template.
//   - An event that cannot be encoded is left out and returned with its reason. The
//     rest of the batch leaves. Code of an event's values that panics is a reason
//     like any other.
//   - JSON, and CSV from templates that are only text and fields, allocate nothing
//     an event, unless a value has a type of its own: then encoding/json or the
//     template is asked. Lines go through a pooled buffer of 68 KiB, whatever the
//     size of the batch; a single larger event stretches it for a while.
//   - Encoders are safe for several goroutines and keep nothing of a batch.
//
// # Limits
//
// What an event holds must not be changed while it is encoded: a map that is
// written to meanwhile ends the program, as it does in the library. The same
// is true of a MarshalJSON or String method that calls itself without end.
package encode
