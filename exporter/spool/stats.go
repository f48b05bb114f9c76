package spool

import "time"

// Stats is what a spool has on disk and has done, at one moment. Every batch that was ever on disk is somewhere:
// Spooled + Adopted = Files + Sent + Dropped + SetAside + Missing + Left.
type Stats struct {
	// Files wait on disk, the one that is being sent included; they take Bytes and hold Events. Oldest is when the oldest was
	// written, or zero.
	Files         int
	Bytes, Events int64
	Oldest        time.Time

	Spooled  int64 // batches written to disk
	Adopted  int64 // files taken over from other processes
	Sent     int64 // batches from disk that the inner exporter took
	Dropped  int64 // past MaxBytes or MaxAge, with DroppedEvents
	SetAside int64 // damaged or foreign files, moved to the folder "aside"
	Missing  int64 // removed by somebody else
	Left     int64 // on disk at Stop, or written after it: for another process

	DroppedEvents int64
	Direct        int64     // batches that the inner exporter took without their being on disk
	Failures      int64     // calls of the inner exporter that ended in an error, or were left behind
	Failing       time.Time // when the first call began that failed since the last one that did not; zero while the sink is well
	Hung          bool      // a call that was left behind is still running
	LastError     error     // of the last failure; a success after it does not change it
}

// Stats reports on the spool, at any time, after Stop too.
func (s *Spool) Stats() Stats {
	sender := s.pump.Stats()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.counts
	if len(s.waiting) > 0 {
		now.Oldest = written(s.waiting[0].stamp)
	}
	now.Failing, now.Hung = s.health.failing, s.health.hung || sender.Hung
	return now
}
