package store

import (
	"runtime"
	"sync/atomic"
)

// spinning is the slice under a lock that spins and yields instead of sleeping.
type spinning struct {
	held     atomic.Uint32
	events   []Event
	at, read int
}

func (s *spinning) lock() {
	for i := 1; s.held.Load() != 0 || !s.held.CompareAndSwap(0, 1); i++ {
		if i%64 == 0 {
			runtime.Gosched()
		}
	}
}

func (s *spinning) append(e Event) {
	s.lock()
	s.events[s.at%bound] = e
	s.at++
	s.held.Store(0)
}

func (s *spinning) drain() int {
	s.lock()
	count := s.at - s.read
	s.read = s.at
	s.held.Store(0)
	return count
}
