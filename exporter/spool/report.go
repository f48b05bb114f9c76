package spool

// logged is what the log knows. A burst of drops, from the first to a rescan without one, has two lines, however many files
// it has; and so has the time in which batches wait.
type logged struct {
	waiting bool

	dropping      bool
	grew          bool // since the last rescan
	seen, dropped tally
}

// tally counts what was dropped: in all, when it was last looked at, or before the burst.
type tally struct{ batches, events int64 }

func (t tally) minus(other tally) tally {
	return tally{t.batches - other.batches, t.events - other.events}
}

// report writes to the log what has changed. A rescan ends a burst that did not grow since the last one.
func (s *Spool) report(rescan bool) {
	s.mu.Lock()
	l := &s.logged
	waiting, batches := len(s.waiting) > 0, s.counts.Files
	changed := waiting != l.waiting
	l.waiting = waiting

	now := tally{s.counts.Dropped, s.counts.DroppedEvents}
	began, ended := now != l.seen && !l.dropping, false
	if began {
		l.dropping, l.dropped = true, l.seen
	}
	l.grew = l.grew || now != l.seen
	l.seen = now
	if rescan {
		ended = l.dropping && !l.grew
		l.dropping, l.grew = l.dropping && !ended, false
	}
	lost := now.minus(l.dropped)
	s.mu.Unlock()

	log := s.options.Logger.With("dir", s.options.Dir)
	switch {
	case changed && waiting:
		log.Warn("spool: batches wait on disk to be sent", "batches", batches)
	case changed:
		log.Info("spool: no more batches wait on disk")
	}
	if began {
		log.Error("spool: the oldest batches are being dropped, which are too many or too old", "batches", lost.batches, "events", lost.events)
	}
	if ended {
		log.Warn("spool: no more batches are being dropped", "batches", lost.batches, "events", lost.events)
	}
}
