package spool

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// maxAhead is how far a clock may have been set back between two processes for the order of their batches to be kept. It
// is bounded because the time in a name is also the age of the batch. Arbitrary.
const maxAhead = time.Hour

// lookAround is what is done at each rescan.
func (s *Spool) lookAround() {
	s.mu.Lock()
	if !s.enterLocked() {
		s.mu.Unlock()
		return
	}
	dropped := append(s.boundLocked(nil), s.removals...)
	s.removals = nil
	s.mu.Unlock()
	defer s.leave()
	s.removeAll(dropped)
	s.report(true)
	s.takeOver()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopped {
		s.timer.Reset(s.rescan)
	}
}

// takeOver takes the folders over that nobody owns.
func (s *Spool) takeOver() {
	s.folders.Lock()
	defer s.folders.Unlock()
	names, err := folders(s.disk, s.options.Dir)
	if err != nil {
		s.options.Logger.Error("spool: batches of earlier processes cannot be looked for", "dir", s.options.Dir, "error", err)
	}
	for _, name := range names {
		path := filepath.Join(s.options.Dir, name)
		s.mu.Lock()
		mine := s.adopted[path] != nil || s.own != nil && s.own.path == path
		s.mu.Unlock()
		if mine {
			continue
		}
		f, entries, err := takeover(s.disk, s.options.Dir, name)
		if err != nil {
			s.options.Logger.Error("spool: a folder of an earlier process was not taken over", "folder", path, "error", err)
		}
		if f != nil {
			s.adopt(f, entries)
		}
	}
	s.mu.Lock() // now that all of them are in order
	defer s.mu.Unlock()
	if len(s.waiting) > 0 {
		s.wakeLocked()
	}
}

// adopt puts the files of a folder among those that wait, unless they would exceed MaxBytes: then they are left, until there is
// room, so that nothing is dropped that another process could send.
func (s *Spool) adopt(from *folder, entries []fs.DirEntry) {
	files, foreign, size := s.sort(from, entries)
	s.mu.Lock()
	if s.stopped || len(s.waiting) > 0 && s.counts.Bytes+size > s.options.MaxBytes {
		s.mu.Unlock()
		_ = from.unlock()
		return
	}
	for _, f := range files {
		s.addLocked(f)
		if ahead := f.stamp - time.Now().UnixNano(); ahead < int64(maxAhead) {
			s.lastStamp = max(s.lastStamp, f.stamp) // what is written now comes behind it
		}
	}
	from.files += len(foreign)
	s.counts.Adopted += int64(len(files) + len(foreign))
	s.counts.SetAside += int64(len(foreign))
	if from.files > 0 {
		s.adopted[from.path] = from
	}
	empty := from.files == 0
	s.mu.Unlock()
	if empty {
		from.release(s.disk)
		return
	}
	s.options.Logger.Info("spool: the batches of another process were taken over", "folder", from.path, "batches", len(files))
	s.report(false)
	for _, f := range foreign {
		s.setAside(f, errors.New("it is no batch file by its name or kind"))
	}
}

// sort tells the batches of a folder from what does not belong there, and removes what was never finished: it was not acknowledged.
func (s *Spool) sort(from *folder, entries []fs.DirEntry) (files, foreign []*file, size int64) {
	for _, entry := range entries {
		f := &file{folder: from, name: entry.Name()}
		stamp, events, ok := parseName(strings.TrimSuffix(f.name, unfinished))
		info, err := entry.Info()
		switch {
		case err != nil || !ok || !entry.Type().IsRegular():
			foreign = append(foreign, f)
		case strings.HasSuffix(f.name, unfinished):
			_ = s.disk.Remove(f.path())
		default:
			f.stamp, f.events, f.size = stamp, events, info.Size()
			files = append(files, f)
			size += f.size
		}
	}
	return files, foreign, size
}

// setAside moves a file out of the way, to where somebody may look at it.
func (s *Spool) setAside(f *file, reason error) {
	aside := filepath.Join(s.options.Dir, asideName)
	to := filepath.Join(aside, filepath.Base(f.folder.path)+"-"+f.name)
	err := s.disk.MkdirAll(aside)
	if err == nil {
		err = s.disk.Rename(f.path(), to)
	}
	if err != nil {
		// It stays in its folder, which therefore stays, too. The next process meets it again.
		s.options.Logger.Error("spool: a damaged or foreign file was not moved away", "file", f.path(), "reason", reason, "error", err)
		return
	}
	s.options.Logger.Error("spool: a damaged or foreign file was set aside", "file", to, "reason", reason)
	s.gone(f)
}
