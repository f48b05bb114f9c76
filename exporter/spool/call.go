package spool

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"

	"github.com/offlock/offlock/eventstore"
	"github.com/offlock/offlock/exporter"
)

// health is what is known of the inner exporter.
type health struct {
	failing time.Time // when the first call began that failed since the last one that did not; zero if there is none
	hung    bool      // a call that Export left behind is still running
	// late is the batch that such a call took after all, while nobody had it on disk: it is to be acknowledged when it comes again.
	late batchName
}

// batchName is what two attempts of one batch have in common. The zero value is no batch's.
type batchName struct {
	known       bool
	instance    string
	first, last int64
}

func nameOf(b exporter.Batch) batchName { return batchName{true, b.Instance, b.First, b.Last} }

// call is one call of the inner exporter by Export.
type call struct {
	batch     exporter.Batch
	began     time.Time
	returned  chan error // has room for the outcome
	abandoned bool       // nobody waits for it any more; guarded by Spool.mu
}

// attempt hands the batch to the inner exporter.
func (s *Spool) attempt(ctx context.Context, b exporter.Batch, logger *fflog.FFLogger, events []ffexporter.ExportableEvent) error {
	c := &call{batch: b, began: time.Now(), returned: make(chan error, 1)}
	ctx, cancel, grace := s.limit(ctx)
	err := ctx.Err()
	if err == nil {
		err = s.takeTurn(ctx)
	}
	if err != nil {
		cancel()
		return s.failed(c.began, err)
	}
	// A call that is left behind reads its events for longer than the caller of Export may keep the slice.
	go s.run(exporter.WithBatch(ctx, b), cancel, c, logger, slices.Clone(events))
	select {
	case err := <-c.returned:
		return s.outcome(c, err)
	case <-ctx.Done():
	}
	select {
	case err := <-c.returned:
		return s.outcome(c, err)
	case <-time.After(s.grace(grace)):
	}
	s.mu.Lock()
	select {
	case err := <-c.returned:
		s.mu.Unlock()
		return s.outcome(c, err)
	default:
	}
	c.abandoned, s.health.hung = true, true
	s.mu.Unlock()
	s.options.Logger.Error("spool: the exporter does not return; it is not called again before it does", "first", b.First, "last", b.Last)
	return s.failed(c.began, errHung)
}

var errHung = fmt.Errorf("spool: a call of the exporter does not return; have it return when its context ends: %w", eventstore.ErrHung)

// limit bounds a call: its context ends after Timeout, or somewhat before the caller's, and it is left behind grace later.
func (s *Spool) limit(ctx context.Context) (limited context.Context, cancel context.CancelFunc, grace time.Duration) {
	left := s.options.Timeout
	reserve := margin(left)
	if deadline, ok := ctx.Deadline(); ok {
		until := time.Until(deadline)
		if until-margin(until) < left {
			reserve = margin(until)
			left = until - reserve
		}
	}
	limited, end := context.WithTimeout(ctx, left)
	release := context.AfterFunc(s.alive, end)
	return limited, func() { release(); end() }, max(reserve/2, 0)
}

// grace bounds the time that a call is given to return after its context has ended: Stop may leave less of it.
func (s *Spool) grace(usual time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopBy.IsZero() {
		return usual
	}
	return max(min(usual, time.Until(s.stopBy)/2), 0)
}

// margin is the part of a time that is kept for what is to be done at its end, as in package eventstore.
func margin(d time.Duration) time.Duration { return min(d/10, 500*time.Millisecond) }

// run is the goroutine of a call.
func (s *Spool) run(ctx context.Context, cancel context.CancelFunc, c *call, logger *fflog.FFLogger, events []ffexporter.ExportableEvent) {
	err := errors.New("spool: the exporter ended its goroutine and returned nothing; have it return an error instead")
	defer func() {
		if value := recover(); value != nil {
			err = &eventstore.PanicError{Value: value, Stack: debug.Stack()}
			s.options.Logger.Error("spool: the exporter panicked", "error", err, "stack", string(debug.Stack()))
		}
		cancel()
		s.returned(c, err)
	}()
	err = s.inner.Export(ctx, logger, events)
}

// returned takes the outcome of a call in, and lets the next one begin.
func (s *Spool) returned(c *call, err error) {
	s.mu.Lock()
	<-s.turn // cannot wait: this call has put something in
	if c.abandoned {
		s.returnedLateLocked(c, err)
	} else {
		c.returned <- err
	}
	late := c.abandoned
	s.mu.Unlock()
	if late {
		s.letGo()
	}
}

// returnedLateLocked takes the outcome of a call in that was left behind.
func (s *Spool) returnedLateLocked(c *call, err error) {
	s.health.hung = false
	if err != nil {
		return
	}
	s.health.failing = time.Time{}
	if !s.tookLocked(nameOf(c.batch)) {
		s.counts.Direct++
		s.health.late = nameOf(c.batch)
	}
}

// tookLocked finds the batch among those on disk, which is then not sent.
func (s *Spool) tookLocked(batch batchName) bool {
	for _, f := range s.waiting {
		if f.batch == batch {
			f.taken = true
			s.wakeLocked()
			return true
		}
	}
	return false
}

// settleTakenLocked settles what the sender has not come to, and returns it to be removed: the next owner would send it again.
func (s *Spool) settleTakenLocked() (taken []*file) {
	for _, f := range s.waiting {
		if f.taken {
			taken = append(taken, f)
		}
	}
	for _, f := range taken {
		s.settleLocked(f, &s.counts.Sent)
	}
	return taken
}

// tookLate says whether a call that was left behind took this batch.
func (s *Spool) tookLate(b exporter.Batch) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.health.late != nameOf(b) {
		return false
	}
	s.health.late = batchName{}
	return true
}

// takeTurn waits until the inner exporter may be called.
func (s *Spool) takeTurn(ctx context.Context) error {
	s.mu.Lock()
	hung := s.health.hung
	s.mu.Unlock()
	if hung {
		return errHung
	}
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("spool: an earlier call of the exporter has not returned: %w", ctx.Err())
	}
}

// outcome notes how a call ended.
func (s *Spool) outcome(c *call, err error) error {
	if err != nil {
		return s.failed(c.began, err)
	}
	s.succeeded()
	s.mu.Lock()
	s.counts.Direct++
	s.mu.Unlock()
	return nil
}

func (s *Spool) succeeded() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.health.failing = time.Time{}
}

func (s *Spool) failed(began time.Time, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.health.failing.IsZero() {
		s.health.failing = began
	}
	s.counts.Failures++
	s.counts.LastError = err
	return err
}

// due says whether a batch that the inner exporter did not take is to be written to disk.
func (s *Spool) due(b exporter.Batch) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.Stopping || s.stopped || len(s.waiting) > 0 || s.options.After < 0 {
		return true
	}
	failing := s.health.failing // zero if another call has succeeded meanwhile
	return !failing.IsZero() && time.Since(failing) >= s.options.After
}
