package spool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/eventstore"
)

// Stop ends the sender, waits for the calls of Export that run, and gives the folder up, so that another spool sends what
// waits there. It does not send what waits: that is safe on disk. Calls of the inner exporter see a context that ends a tenth
// of the time that is left before ctx does, and at most 500 ms; a batch that was handed over by Export is then written to disk.
// At last it stops the inner exporter, if that has a Stop(context.Context) error and no call of it is running.
//
// It returns nil when all of that is done, and else an error that wraps ctx's, or eventstore.ErrHung if the inner exporter does
// not return: then the folder is given up when it does, or with the process. No batch is lost by that. Export goes on after Stop: it
// writes to disk, and does not call the inner exporter. Stop may be called before Start, and any number of times, but not by
// the inner exporter, for which it waits.
func (s *Spool) Stop(ctx context.Context) error {
	s.mu.Lock()
	if !s.stopped {
		s.stopped = true
		if s.busy == 0 {
			close(s.quiet)
		}
	}
	if deadline, ok := ctx.Deadline(); ok && (s.stopBy.IsZero() || deadline.Before(s.stopBy)) {
		s.stopBy = deadline
	}
	if s.timer != nil {
		s.timer.Stop()
	}
	s.mu.Unlock()

	defer context.AfterFunc(ctx, s.endCalls)()
	if deadline, ok := ctx.Deadline(); ok {
		left := time.Until(deadline)
		defer time.AfterFunc(left-margin(left), s.endCalls).Stop()
	}
	if err := s.awaitQuiet(ctx, s.pump.Stop(ctx)); err != nil {
		return err
	}
	s.letGo()
	return s.stopInner(ctx)
}

// awaitQuiet waits until nothing uses the folders. What the pump says matters only if that does not come about.
func (s *Spool) awaitQuiet(ctx context.Context, pump error) error {
	select {
	case <-s.quiet:
	case <-ctx.Done():
		select {
		case <-s.quiet:
		default:
			if pump != nil {
				return fmt.Errorf("spool: stopped while a batch from disk was being sent, which stays there unless that succeeds: %w", pump)
			}
			return fmt.Errorf("spool: stopped while a batch was being exported or written: %w", ctx.Err())
		}
	}
	s.endCalls()
	return nil
}

// stopper is an exporter that has something to end.
type stopper interface{ Stop(context.Context) error }

func stopperOf(inner ffexporter.CommonExporter) stopper {
	s, _ := inner.(stopper)
	return s
}

// stopInner stops the inner exporter, unless a call of it does not return.
func (s *Spool) stopInner(ctx context.Context) error {
	s.mu.Lock()
	hung := s.health.hung
	s.mu.Unlock()
	switch {
	case hung:
		return errHung // its batch was seen to when it was left behind
	case s.stopper == nil:
		return nil
	}
	s.stopping.Do(func() { go s.endInner(ctx) })
	select {
	case <-s.innerEnded:
		return s.innerStopped
	case <-ctx.Done():
	}
	select {
	case <-s.innerEnded:
		return s.innerStopped
	case <-time.After(minGrace): // one that minds its context needs no more
		return fmt.Errorf("spool: the Stop of the exporter does not return: %w: %w", eventstore.ErrHung, ctx.Err())
	}
}

// minGrace is how long the Stop of the inner exporter is waited for when the context has ended. Arbitrary.
const minGrace = 10 * time.Millisecond

// endInner is the goroutine that calls the Stop of the inner exporter.
func (s *Spool) endInner(ctx context.Context) {
	s.innerStopped = errors.New("spool: the exporter's Stop ended its goroutine and returned nothing; have it return an error instead")
	defer func() {
		if value := recover(); value != nil {
			s.innerStopped = &eventstore.PanicError{Value: value, Stack: debug.Stack()}
		}
		close(s.innerEnded)
	}()
	s.innerStopped = s.stopper.Stop(ctx)
}

// letGo gives the folders up once Stop was called and nothing uses them any more. A call that Export left behind may still take
// its batch, so that another spool must not have it before that call returns, or the process ends.
func (s *Spool) letGo() {
	s.mu.Lock()
	over := s.stopped && s.busy == 0 && !s.health.hung
	s.mu.Unlock()
	if !over {
		return
	}
	s.folders.Lock()
	defer s.folders.Unlock()
	s.mu.Lock()
	removals := append(s.settleTakenLocked(), s.removals...)
	s.removals = nil
	s.mu.Unlock()
	s.removeAll(removals)
	s.mu.Lock()
	given := slices.Collect(maps.Values(s.adopted))
	clear(s.adopted)
	if s.own != nil {
		given = append(given, s.own)
	}
	s.own = nil
	s.counts.Left += int64(len(s.waiting))
	s.counts.Files, s.counts.Bytes, s.counts.Events, s.waiting = 0, 0, 0, nil
	s.mu.Unlock()
	for _, f := range given {
		f.release(s.disk)
	}
}
