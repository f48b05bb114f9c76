package eventstore

import "sync/atomic"

// segment is one stretch of the log: the events with the offsets base to end-1.
//
// A header is used once: base, end and the events below the end of the store do not change for whoever holds a
// reference. Only the array goes round, in a new header. (A header that is used again is how a consumer with an old pointer
// reads somebody else's events.)
type segment[T any] struct {
	// items is the array. It is written by the store, under its mutex, at indexes that no consumer has been told of, and
	// taken away by recycle when nobody holds a reference.
	items []T
	// base and end are set when the segment becomes the tail, under the store's mutex, and not changed after that.
	base, end int64
	// next is set when the segment is full, before the end of the store moves past it, and taken away by recycle, so that a
	// batch that is never given back does not keep all later headers. Whoever holds a reference and knows of an
	// event behind this segment finds it set. It is atomic for the walk of Fetch, which may come too late and find nil.
	next atomic.Pointer[segment[T]]
	// refs counts who needs the array: the store while this is the tail, each consumer that has not passed the segment, a
	// batch in flight, a clean-up of a part. It goes up under the store's mutex, while it is above zero; whoever takes it
	// to zero is alone with the segment.
	refs atomic.Int32
	// cleared is how many items at the front were cleared, or are being cleared by someone who holds a reference.
	// Guarded by the store's mutex.
	cleared int
	// dead links the segments that one call has to recycle. Used by the one who took refs to zero.
	dead *segment[T]
}

// unref gives one reference up, and says whether it was the last one.
func (g *segment[T]) unref() bool { return g.refs.Add(-1) == 0 }

// pile is a chain of segments without references. The zero value is empty.
type pile[T any] struct {
	top   *segment[T]
	count int
}

// add puts a segment on the pile. The first header of a store has no array to give back.
func (p *pile[T]) add(g *segment[T]) {
	if len(g.items) == 0 {
		return
	}
	g.dead = p.top
	p.top = g
	p.count++
}

// freeList holds segments that are ready to become the tail, linked by next. Guarded by the store's mutex.
type freeList[T any] struct {
	top   *segment[T]
	count int
	// low is the smallest count since the last trim: that many were not needed.
	low int
}

func (f *freeList[T]) pop() *segment[T] {
	g := f.top
	if g == nil {
		return nil
	}
	f.top = g.next.Swap(nil)
	f.count--
	f.low = min(f.low, f.count)
	return g
}

// push adds a chain of count segments that begins with first and ends with last.
func (f *freeList[T]) push(first, last *segment[T], count int) {
	last.next.Store(f.top)
	f.top = first
	f.count += count
}

// recycle clears the arrays of a pile, so that nothing stays reachable through them, and gives them back to the store in
// new headers. It is called without the mutex: clearing an array takes microseconds.
func (s *Store[T]) recycle(p pile[T]) {
	if p.count == 0 {
		return
	}
	var first, last *segment[T]
	for g := p.top; g != nil; {
		items := g.items
		clear(items[g.cleared:])
		g.items = nil
		g.next.Store(nil)
		fresh := &segment[T]{items: items}
		fresh.next.Store(first)
		if first = fresh; last == nil {
			last = fresh
		}
		g, g.dead = g.dead, nil
	}
	s.mu.Lock()
	s.live -= p.count
	s.free.push(first, last, p.count)
	s.mu.Unlock()
}

// trimStep is how many arrays one lock of Trim lets go, so that the lock is short however many are free. Arbitrary.
const trimStep = 32

// Trim gives memory back: half of the arrays that were not needed at any time since the last call. A [Pump] calls it at each
// interval, so that the memory of an outage or a rush is given back over the next few. It may be called at any time.
func (s *Store[T]) Trim() {
	s.mu.Lock()
	spare := (s.free.low + 1) / 2
	for spare > 0 {
		for i := min(spare, trimStep, s.free.count); i > 0; i-- {
			s.free.top = s.free.top.next.Load()
			s.free.count--
		}
		spare -= trimStep
		s.mu.Unlock() // lets those in who append
		s.mu.Lock()
	}
	s.free.low = s.free.count
	s.mu.Unlock()
}
