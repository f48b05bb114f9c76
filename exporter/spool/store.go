package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/exporter"
)

// store writes the batch to disk, behind all others. Nil says that it is there.
func (s *Spool) store(b exporter.Batch, events []ffexporter.ExportableEvent) error {
	data, err := s.encode(b, events)
	if err != nil {
		return err
	}
	s.folders.Lock()
	dropped, err := s.storeLocked(b, data, len(events))
	s.folders.Unlock()
	if err != nil {
		return s.notWritten(err)
	}
	s.removeAll(dropped)
	s.report(false)
	return nil
}

// storeLate writes the batch after Stop: into a folder of its own, which is given up at once for another spool to take.
func (s *Spool) storeLate(b exporter.Batch, events []ffexporter.ExportableEvent) error {
	data, err := s.encode(b, events)
	if err != nil {
		return err
	}
	s.folders.Lock()
	defer s.folders.Unlock()
	f, err := s.claim()
	if err != nil {
		return s.notWritten(err)
	}
	stamp := s.stamp()
	if err := write(s.disk, f.path, fileName(stamp, len(events)), data, !s.options.NoSync); err != nil {
		f.release(s.disk)
		return s.notWritten(err)
	}
	_ = f.unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.Spooled++
	s.counts.Left++
	return nil
}

func (s *Spool) notWritten(err error) error {
	return fmt.Errorf("spool: the batch was not written to %s: %w", s.options.Dir, err)
}

// encode makes the file of a batch.
func (s *Spool) encode(b exporter.Batch, events []ffexporter.ExportableEvent) ([]byte, error) {
	const guess = 256 // bytes an event
	data, err := appendBatch(newFile(guess*(len(events)+1)), b, events)
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > s.options.MaxBytes {
		return nil, fmt.Errorf("%w: %d bytes, %d are allowed; hand over smaller batches, or raise it", ErrTooLarge, len(data), s.options.MaxBytes)
	}
	seal(data)
	return data, nil
}

// storeLocked is store with Spool.folders held. It returns what was dropped to make room.
func (s *Spool) storeLocked(b exporter.Batch, data []byte, events int) (dropped []*file, err error) {
	f := &file{stamp: s.stamp(), size: int64(len(data)), events: events, batch: nameOf(b)}
	f.name = fileName(f.stamp, events)
	for again := false; ; again = true {
		if s.own == nil {
			if s.own, err = s.claim(); err != nil {
				return nil, err
			}
		}
		err = write(s.disk, s.own.path, f.name, data, !s.options.NoSync)
		if again || !errors.Is(err, fs.ErrNotExist) {
			break
		}
		s.retireOwn() // somebody removed the folder, with all that it held, or only the file that was being written
	}
	if err != nil {
		return nil, err
	}
	f.folder = s.own
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.Spooled++
	s.addLocked(f)
	if s.health.late == f.batch { // it was taken while it was being written
		f.taken, s.health.late = true, batchName{}
		s.counts.Direct--
	}
	s.wakeLocked()
	return s.boundLocked(f), nil
}

// retireOwn has the next batch written to another folder. The spool keeps this one while it has batches in it, which may be
// there after all. With Spool.folders held.
func (s *Spool) retireOwn() {
	old := s.own
	s.own = nil
	s.mu.Lock()
	keep := old.files > 0
	if keep {
		s.adopted[old.path] = old
	}
	s.mu.Unlock()
	if !keep {
		old.release(s.disk)
	}
}

// claim makes a folder whose name is on the medium before that of any file in it.
func (s *Spool) claim() (*folder, error) {
	f, err := claim(s.disk, s.options.Dir)
	if err != nil || s.options.NoSync {
		return f, err
	}
	if err := s.disk.SyncDir(s.options.Dir); err != nil {
		f.release(s.disk)
		return nil, err
	}
	return f, nil
}

// stamp returns the time for the next file: a later one than the last, even if the clock was set back. With Spool.folders held.
func (s *Spool) stamp() int64 {
	s.lastStamp = max(time.Now().UnixNano(), s.lastStamp+1)
	return s.lastStamp
}
