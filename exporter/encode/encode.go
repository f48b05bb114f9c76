package encode

import (
	"fmt"
	"io"
	"runtime/debug"
	"sync"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
)

// Encoder turns a batch of events into the content of one object. It is safe
// for several goroutines, and keeps nothing of a batch after a call.
type Encoder interface {
	// Encode writes the events to w in their order, in chunks that have nothing
	// to do with where events begin. An event that cannot be encoded is left out
	// and returned, with its reason; the others are written. An error comes from
	// w alone, and then what was written is not to be used.
	Encode(w io.Writer, events []ffexporter.ExportableEvent) (refused []Refused, err error)

	// Format is the word for file names, what {{ .Format }} of the library's file
	// name templates shows: "json", "csv" or "parquet".
	Format() string

	// ContentType is the media type of what Encode writes.
	ContentType() string
}

// Refused is an event that was left out, and why.
type Refused struct {
	Index int // in the batch
	Event ffexporter.ExportableEvent
	Err   error
}

// PanicError is the reason why an event was refused whose own code panicked
// while it was encoded: a MarshalJSON or FormatInCSV, for example.
type PanicError struct {
	Value any    // what it panicked with
	Stack []byte // where
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("encode: the event's own code panicked: %v", e.Value)
}

// Unwrap returns the value that the code panicked with, if it was an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

const (
	// A write is at least this large, but for the last one.
	chunkBytes = 64 << 10
	// Room after a chunk, so that the event that completes it finds its place.
	chunkSlack = 4 << 10
	// A buffer that an unusually large event stretched past this is not kept.
	keptBytes = 1 << 20
)

var buffers = sync.Pool{New: func() any {
	b := make([]byte, 0, chunkBytes+chunkSlack)
	return &b
}}

// appender is an encoder of single lines.
type appender interface {
	Append(dst []byte, e ffexporter.ExportableEvent) ([]byte, error)
}

// encodeLines is Encode for formats that are lines one after another.
func encodeLines[A appender](a A, w io.Writer, events []ffexporter.ExportableEvent) (refused []Refused, err error) {
	pooled := buffers.Get().(*[]byte)
	buf := (*pooled)[:0]
	defer func() {
		if cap(buf) <= keptBytes {
			*pooled = buf
			buffers.Put(pooled)
		}
	}()
	for i, e := range events {
		var reason error
		if buf, reason = a.Append(buf, e); reason != nil {
			refused = append(refused, Refused{Index: i, Event: e, Err: reason})
		}
		if len(buf) >= chunkBytes {
			if err := write(w, buf); err != nil {
				return refused, err
			}
			buf = buf[:0]
		}
	}
	if len(buf) == 0 {
		return refused, nil
	}
	return refused, write(w, buf)
}

func write(w io.Writer, p []byte) error {
	n, err := w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	return err
}

// contain is deferred where an event's own code may run: a panic of that code
// becomes the event's error, and dst is as it was.
func contain(dst []byte, out *[]byte, err *error) {
	if v := recover(); v != nil {
		*out, *err = dst, &PanicError{Value: v, Stack: debug.Stack()}
	}
}
