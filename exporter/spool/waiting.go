package spool

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"
)

// file is a batch on disk.
type file struct {
	folder *folder
	name   string
	stamp  int64 // when it was written
	size   int64
	events int
	batch  batchName // if this spool wrote it

	// taken says that a call which was left behind took the batch after all. Guarded by Spool.mu.
	taken bool
	// The rest is the sender's alone, one call at a time.
	tries, unreadable int
	ill               time.Time // when it was first unreadable
}

func (f *file) path() string { return filepath.Join(f.folder.path, f.name) }

// addLocked puts a file among those that wait.
func (s *Spool) addLocked(f *file) {
	at, _ := slices.BinarySearchFunc(s.waiting, f, func(a, b *file) int {
		return cmp.Or(cmp.Compare(a.stamp, b.stamp), cmp.Compare(a.folder.path, b.folder.path))
	})
	s.waiting = slices.Insert(s.waiting, at, f)
	f.folder.files++
	s.counts.Files++
	s.counts.Bytes += f.size
	s.counts.Events += int64(f.events)
}

// settleLocked takes a file out of those that wait. Its fate is the counter.
func (s *Spool) settleLocked(f *file, fate *int64) {
	at := slices.Index(s.waiting, f)
	if at == 0 { // as nearly always; it does not move the others
		s.waiting[0] = nil
		s.waiting = s.waiting[1:]
	} else {
		s.waiting = slices.Delete(s.waiting, at, at+1)
	}
	s.counts.Files--
	s.counts.Bytes -= f.size
	s.counts.Events -= int64(f.events)
	*fate++
}

// boundLocked drops the files that are too old and, if one was added, the oldest while all together exceed MaxBytes. Neither the one
// that is being sent nor the one that was added is dropped. The caller removes what it returns from the disk.
func (s *Spool) boundLocked(added *file) (dropped []*file) {
	oldest := time.Now().Add(-s.options.MaxAge).UnixNano()
	for i := 0; i < len(s.waiting); {
		f := s.waiting[i]
		if f.stamp >= oldest && (added == nil || s.counts.Bytes <= s.options.MaxBytes) {
			break
		}
		if f == s.sending || f == added || f.taken {
			i++
			continue
		}
		s.settleLocked(f, &s.counts.Dropped)
		s.counts.DroppedEvents += int64(f.events)
		dropped = append(dropped, f)
	}
	return dropped
}

// removeAll removes settled files from the disk, and gives up folders that are empty then. What the disk does not remove is
// tried again later.
func (s *Spool) removeAll(files []*file) {
	for _, f := range files {
		err := s.disk.Remove(f.path())
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.options.Logger.Error("spool: a file was not removed; it is tried again, and a later process would send it again",
				"file", f.path(), "error", err)
			s.mu.Lock()
			s.removals = append(s.removals, f)
			s.mu.Unlock()
			continue
		}
		s.gone(f)
	}
}

// gone notes that a file is not in its folder any more.
func (s *Spool) gone(f *file) {
	s.mu.Lock()
	f.folder.files--
	empty := f.folder.files == 0 && s.adopted[f.folder.path] == f.folder
	if empty {
		delete(s.adopted, f.folder.path)
	}
	s.mu.Unlock()
	if empty {
		f.folder.release(s.disk)
	}
}
