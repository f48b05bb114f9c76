//go:build ignore

package fileexporter

import (
	"io"
	"sync"

	"github.com/thomaspoignant/go-feature-flag/exporter"
)

const (
	// chunkSize is how much of a batch is encoded at a time. It is also what one write to a file takes.
	chunkSize = 1 << 20
	// maxPooledSize is what a buffer may have grown to, by long lines, to be used again.
	maxPooledSize = 2 * chunkSize
)

// content is a batch of events in its format. It is encoded while it is read, a chunk of whole lines at a time, so that
// memory is bounded however large the batch is. Reading it never fails.
type content struct {
	unread  []byte // encoded
	events  []exporter.ExportableEvent
	next    int // of events, to be encoded
	encode  func(dst []byte, event exporter.ExportableEvent) ([]byte, error)
	refused []exporter.Refused
	buffer  *[]byte // of chunks, from the pool
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// Read implements io.Reader.
func (c *content) Read(p []byte) (int, error) {
	if !c.more() {
		return 0, io.EOF
	}
	n := copy(p, c.unread)
	c.unread = c.unread[n:]
	return n, nil
}

// WriteTo implements io.WriterTo, with one write for each chunk.
func (c *content) WriteTo(w io.Writer) (written int64, err error) {
	for err == nil && c.more() {
		var n int
		n, err = w.Write(c.unread)
		c.unread = c.unread[n:]
		written += int64(n)
	}
	return written, err
}

// more reports whether there is something to read. It encodes the next chunk if it has to.
func (c *content) more() bool {
	if len(c.unread) > 0 {
		return true
	}
	if c.next == len(c.events) {
		return false
	}
	if c.buffer == nil {
		c.buffer = buffers.Get().(*[]byte)
	}
	chunk := (*c.buffer)[:0]
	for ; c.next < len(c.events) && len(chunk) < chunkSize; c.next++ {
		event := c.events[c.next]
		line, err := c.encode(chunk, event)
		if err != nil {
			c.refused = append(c.refused, exporter.Refused{Index: c.next, Event: event, Err: err})
			continue
		}
		chunk = line
	}
	*c.buffer, c.unread = chunk, chunk
	return len(chunk) > 0
}

// release gives the memory back. The content must not be read any more.
func (c *content) release() {
	c.unread, c.next = nil, len(c.events)
	if c.buffer != nil && cap(*c.buffer) <= maxPooledSize {
		buffers.Put(c.buffer)
	}
	c.buffer = nil
}
