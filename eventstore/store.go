package eventstore

import (
	"fmt"
	"math"
	"unsafe"
)

// DefaultSegmentSize is the number of events in a segment: of 152-byte events it makes arrays of 38 KiB.
const DefaultSegmentSize = 256

// maxArray is the most bytes that an array of events may have: an option that is off by a few zeros is to fail in New, not
// in the first Append. Arbitrary.
const maxArray = math.MaxInt32

// Options are the settings of a [Store]. The zero value stands for the defaults.
type Options struct {
	// SegmentSize is the number of events in a segment, the unit in which memory is taken, given back and used again.
	// 0 is [DefaultSegmentSize]; a negative one is an error, and so is one that makes arrays of 2 GiB or more.
	SegmentSize int
}

// Store is an append-only log of events that any number of consumers read, each at its own pace. Use [New].
// All its methods may be called at the same time.
type Store[T any] struct {
	// mu guards the fields below and those of the consumers that say so. It is held for a few assignments, for a walk over the
	// consumers, or for one over the segments that a single call passes: never during a copy or a clearing of events, an
	// allocation of their memory, a call of a handler or a wait. (Adding and closing a consumer makes a new list of consumers.)
	mu mutex
	// n events are in items, the array of the tail. While n is below limit there is room, and the next event makes no
	// consumer due and none exceed its lag: the one comparison of Append.
	n, limit int
	items    []T

	tail        *segment[T]
	segmentSize int
	closed      bool
	// consumers is replaced, not changed, so that a copy of it may be walked without the mutex.
	consumers []*Consumer[T]
	// parked are the consumers that were closed with a batch in flight.
	parked []*Consumer[T]
	free   freeList[T]
	// low has one slot, and any pump receives from it: the stock of free arrays is low.
	low      chan struct{}
	live     int // segments with an array that are in the log
	unseen   int64
	rejected int64
}

// New makes a store. It starts nothing and takes no memory for events before the first [Store.Append].
func New[T any](o Options) (*Store[T], error) {
	if o.SegmentSize < 0 {
		return nil, fmt.Errorf("eventstore: SegmentSize is %d; use 0 for the default of %d, or more", o.SegmentSize, DefaultSegmentSize)
	}
	if o.SegmentSize == 0 {
		o.SegmentSize = DefaultSegmentSize
	}
	var none T
	if size := max(1, int64(unsafe.Sizeof(none))); int64(o.SegmentSize) > maxArray/size {
		return nil, fmt.Errorf("eventstore: SegmentSize is %d, of events of %d bytes; use at most %d", o.SegmentSize, size, maxArray/size)
	}
	s := &Store[T]{segmentSize: o.SegmentSize, tail: &segment[T]{}, low: make(chan struct{}, 1)}
	s.tail.refs.Store(1) // the store's own
	return s, nil
}

// Append adds an event at the end of the log, and says whether it did: not after [Store.Close]. It waits for no consumer,
// handler, flush or clean-up, whatever those do. If it makes a consumer exceed its lag, the oldest events are dropped for that
// consumer. Without a consumer there is nobody to keep the event for, so it is counted and not stored.
//
// The events of one goroutine are in the log in the order in which it appended them.
func (s *Store[T]) Append(event T) bool { return s.AppendFrom(&event) }

// AppendFrom is [Store.Append] of a copy of *event: it spares a large event one copy on its way. It keeps no reference to
// *event itself. It panics if event is nil.
func (s *Store[T]) AppendFrom(event *T) bool {
	_ = *event // a nil pointer is to panic here, not with the mutex held
	s.mu.Lock()
	if s.n < s.limit {
		s.items[s.n] = *event
		s.n++
		s.mu.Unlock()
		return true
	}
	return s.appendRare(event)
}

// Close makes the store refuse later events. What it holds can still be fetched. It may be called again.
func (s *Store[T]) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.limit = 0
}

// end is the offset of the next event. The mutex is held.
func (s *Store[T]) endLocked() int64 { return s.tail.base + int64(s.n) }

// appendRare is Append for an event that is not just one more in the tail. The mutex is held, and released.
func (s *Store[T]) appendRare(event *T) bool {
	for !s.closed && len(s.consumers) > 0 && s.n == len(s.items) && !s.extendLocked() {
		s.mu.Unlock()
		s.addArray()
		s.mu.Lock()
	}
	if s.closed {
		s.rejected++
		s.mu.Unlock()
		return false
	}
	if len(s.consumers) == 0 {
		s.unseen++
		s.mu.Unlock()
		return true
	}
	s.items[s.n] = *event
	s.n++
	var dead pile[T]
	rang := false
	end := s.endLocked()
	for _, c := range s.consumers {
		rang = c.dropLocked(end, &dead) || rang
		rang = c.ringLocked(end) || rang
	}
	s.setLimitLocked()
	consumers, low := s.consumers, s.lowLocked()
	s.mu.Unlock()

	if low {
		s.signalLow()
	}
	if rang {
		for _, c := range consumers {
			c.signal()
		}
	}
	s.recycle(dead)
	return true
}

// extendLocked makes a free segment the tail, and says whether there was one.
func (s *Store[T]) extendLocked() bool {
	g := s.free.pop()
	if g == nil {
		return false
	}
	g.base = s.endLocked()
	g.end = g.base + int64(len(g.items))
	g.refs.Store(int32(len(s.consumers)) + 1)
	// All consumers hold the old tail, so this is not its last reference: they pass it by a commit, a drop or Close, and what
	// they pass is full.
	s.tail.next.Store(g)
	s.tail.unref()
	s.tail, s.items, s.n = g, g.items, 0
	s.live++
	return true
}

// setLimitLocked sets the limit after any change of the tail or of a consumer.
func (s *Store[T]) setLimitLocked() {
	if s.closed || len(s.consumers) == 0 {
		s.limit = 0
		return
	}
	limit := int64(len(s.items))
	for _, c := range s.consumers {
		// The event that fills index i moves the end of the store to base+i+1.
		limit = min(limit, c.ringAt-1-s.tail.base, c.next+c.maxLag-s.tail.base)
	}
	s.limit = int(max(limit, 0))
}

// never is an offset that no store reaches.
const never = math.MaxInt64

// pageSize is the least that systems hand out at a time.
const pageSize = 4096

// touch writes to each page of a new array, so that none is faulted in under the mutex.
func touch[T any](items []T) {
	var none T
	for i := 0; i < len(items); i += max(1, pageSize/max(1, int(unsafe.Sizeof(none)))) {
		items[i] = none
	}
}
