package s3

import (
	"bytes"
	"errors"
	"io"
	"runtime/debug"
	"sync"

	"github.com/offlock/offlock/eventstore"
)

// frontSize is how much of an object is collected before its upload begins. What fits is sent by the caller's own goroutine and
// with no request made before the encoder is through. It is part of the memory of an upload.
const frontSize = 512 << 10

// fronts are the buffers for that.
var fronts = sync.Pool{New: func() any {
	b := make([]byte, 0, frontSize)
	return &b
}}

// errEnded is what the writer of a stream sees when the upload stopped reading. Its cause is the upload's error.
var errEnded = errors.New("s3: the upload has ended")

// stream is the way from the encoder to the upload: a buffer, and from when that is full on a pipe, to which the upload
// listens in a goroutine of its own. One goroutine writes and then calls end or give up, exactly once.
type stream struct {
	send  func(body io.Reader) error
	front *[]byte

	pipe *io.PipeWriter // nil while everything fits in front
	done chan error     // receives what send returned
}

func newStream(send func(io.Reader) error) *stream {
	return &stream{send: send, front: fronts.Get().(*[]byte)}
}

// Write takes p. Its error says that the upload has ended before the encoder.
func (s *stream) Write(p []byte) (int, error) {
	if s.pipe == nil {
		if len(*s.front)+len(p) <= cap(*s.front) {
			*s.front = append(*s.front, p...)
			return len(p), nil
		}
		s.spill()
	}
	return s.pipe.Write(p)
}

// spill begins the upload with what front holds.
func (s *stream) spill() {
	reader, writer := io.Pipe()
	s.pipe, s.done = writer, make(chan error, 1)
	go func() {
		err := contained(func() error { return s.send(io.MultiReader(bytes.NewReader(*s.front), reader)) })
		_ = reader.CloseWithError(errEnded) // or the encoder would wait for ever
		s.done <- err
	}()
}

// contained is f with its panic as an error: it runs options of the caller, in a goroutine that nobody else guards.
func contained(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &eventstore.PanicError{Value: value, Stack: debug.Stack()}
		}
	}()
	return f()
}

// spilled says whether the upload has begun.
func (s *stream) spilled() bool { return s.pipe != nil }

// end sends what is left, waits for the upload, and returns its error.
func (s *stream) end() error {
	defer s.release()
	if s.pipe == nil {
		return s.send(bytes.NewReader(*s.front))
	}
	_ = s.pipe.Close()
	return <-s.done
}

// giveUp makes an upload that has begun fail with the error, and waits for it. It returns the upload's error if it ended before.
func (s *stream) giveUp(err error) error {
	defer s.release()
	if s.pipe == nil {
		return err
	}
	_ = s.pipe.CloseWithError(err)
	if failed := <-s.done; failed != nil {
		return failed
	}
	return err
}

func (s *stream) release() {
	*s.front = (*s.front)[:0]
	fronts.Put(s.front)
	s.front = nil
}
