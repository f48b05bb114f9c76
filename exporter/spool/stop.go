package spool

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
)

// Stop ends the sender, waits for the calls of Export that run, and gives the folder up, so that another spool sends what
// waits there. It does not send what waits: that is safe on disk. Calls of the inner exporter see a context that ends a tenth
// of the time that is left before ctx does, and at most 500 ms; a batch that was handed over by Export is then written to disk.
// At last it stops the inner exporter, if that has a Stop(context.Context) error and no call of it is running.
//
// It returns nil when all of that is done, and else an error that wraps ctx's, and eventstore.ErrHung if the inner exporter does
// not return. No batch is lost by that. Export goes on after Stop: it writes to disk, and does not call the inner exporter.
// Stop may be called before Start, and any number of times.
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
	s.stopping.Do(func() { s.innerStopped = s.stopper.Stop(ctx) })
	return s.innerStopped
}

// letGo gives the folders up once Stop was called and nothing uses them any more.
func (s *Spool) letGo() {
	s.mu.Lock()
	over := s.stopped && s.busy == 0
	s.mu.Unlock()
	if !over {
		return
	}
	s.folders.Lock()
	defer s.folders.Unlock()
	s.mu.Lock()
	removals := s.removals
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
