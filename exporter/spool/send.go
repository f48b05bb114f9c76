package spool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"

	"github.com/offlock/offlock/eventstore"
	"github.com/offlock/offlock/exporter"
)

// maxUnreadable and unreadableFor are how often in a row, and for how long, a file may fail to be read before it is set aside. The
// disk may be ill for a moment, and then no file can be read. Arbitrary.
const (
	maxUnreadable = 5
	unreadableFor = time.Minute
)

// wakeLocked has the pump call send, unless it is to do so already.
func (s *Spool) wakeLocked() {
	if !s.woken {
		s.woken = true
		s.wakes.Append(wake{})
	}
}

// send is the handler of the pump. When it fails, the pump calls it again after its backoff.
func (s *Spool) send(ctx context.Context, _ eventstore.Batch[wake]) error {
	s.mu.Lock()
	admitted := s.enterLocked()
	s.mu.Unlock()
	if !admitted {
		return nil
	}
	defer s.leave()
	again := true // also if the exporter panics
	defer func() { s.sent(again) }()
	err := s.sendOldest(ctx)
	again = err != nil
	return err
}

// sent is the end of a call of send.
func (s *Spool) sent(again bool) {
	s.mu.Lock()
	s.sending = nil
	if !again {
		s.woken = false
		if len(s.waiting) > 0 && !s.stopped {
			s.wakeLocked()
		}
	}
	s.mu.Unlock()
	s.report(false)
}

// sendOldest sends the oldest batch, if there is one.
func (s *Spool) sendOldest(ctx context.Context) error {
	f := s.next()
	if f == nil {
		return nil
	}
	b, events, err := s.read(f)
	if err != nil {
		return s.unlessStopped(s.unreadable(f, err))
	}
	if err := s.hand(ctx, f, b, events); err != nil {
		return s.unlessStopped(err)
	}
	s.mu.Lock()
	s.settleLocked(f, &s.counts.Sent)
	s.mu.Unlock()
	s.removeAll([]*file{f})
	return nil
}

// unlessStopped is the error for the pump, which is not to try again after Stop: the batch stays on disk.
func (s *Spool) unlessStopped(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return nil
	}
	return err
}

// next returns the file to be sent, or nil.
func (s *Spool) next() *file {
	s.mu.Lock()
	dropped := s.boundLocked(nil)
	if len(s.waiting) > 0 && !s.stopped {
		s.sending = s.waiting[0]
	}
	f := s.sending
	s.mu.Unlock()
	s.removeAll(dropped)
	s.report(false)
	return f
}

// read reads a batch from disk.
func (s *Spool) read(f *file) (exporter.Batch, []ffexporter.ExportableEvent, error) {
	opened, err := s.disk.Open(f.path())
	if err != nil {
		return exporter.Batch{}, nil, err
	}
	defer func() { _ = opened.Close() }()
	info, err := opened.Stat()
	if err != nil {
		return exporter.Batch{}, nil, err
	}
	payload, err := readFile(opened, info.Size())
	if err != nil {
		return exporter.Batch{}, nil, err
	}
	f.unreadable = 0
	b, events, err := decodeBatch(payload)
	if err != nil {
		return b, nil, damage{err}
	}
	return b, events, nil
}

// unreadable sees to a file that was not read. It returns an error if that is to be tried again.
func (s *Spool) unreadable(f *file, err error) error {
	var damaged damage
	if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) { // which say nothing about the file
		f.unreadable++
	}
	if f.unreadable <= 1 {
		f.ill = time.Now()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.options.Logger.Error("spool: a batch is gone from the folder; nobody but a spool may remove files there", "file", f.path())
		s.mu.Lock()
		s.settleLocked(f, &s.counts.Missing)
		s.mu.Unlock()
		s.gone(f)
		return nil
	case errors.As(err, &damaged), f.unreadable >= maxUnreadable && time.Since(f.ill) >= unreadableFor:
		s.mu.Lock()
		s.settleLocked(f, &s.counts.SetAside)
		s.mu.Unlock()
		s.setAside(f, err)
		return nil
	}
	return fmt.Errorf("spool: the file %s was not read: %w", f.path(), err)
}

// hand hands a batch to the inner exporter.
func (s *Spool) hand(ctx context.Context, f *file, b exporter.Batch, events []ffexporter.ExportableEvent) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("spool: an earlier call of the exporter has not returned: %w", ctx.Err())
	}
	defer func() { <-s.turn }()
	s.mu.Lock()
	taken := f.taken
	s.mu.Unlock()
	if taken {
		return nil
	}
	f.tries++
	b.Attempt += f.tries
	if !f.batch.known {
		b.Attempt++ // its own process may have tried, and not lived to tell
	}
	began := time.Now()
	failed := errors.New("spool: the exporter panicked, or ended its goroutine")
	defer func() {
		if failed != nil {
			_ = s.failed(began, failed)
		} else {
			s.succeeded()
		}
	}()
	failed = s.inner.Export(exporter.WithBatch(ctx, b), s.innerLogger(), events)
	return failed
}

// innerLogger is the logger for batches from disk: the one that Export was called with last, if it was.
func (s *Spool) innerLogger() *fflog.FFLogger {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.logger != nil {
		return s.logger
	}
	return &fflog.FFLogger{LeveledLogger: s.options.Logger}
}
