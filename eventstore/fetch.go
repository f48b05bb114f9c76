package eventstore

// Fetch hands out the batch in flight: the one that was fetched and neither committed nor discarded, with the same offsets,
// or else a new one of all waiting events, at most limit of them (0: no limit). It says whether there is one. The time under
// the store's mutex does not depend on how many events there are.
func (c *Consumer[T]) Fetch(limit int) (Batch[T], bool) {
	s := c.store
	s.mu.Lock()
	if c.batch.Len() > 0 || c.closed || c.next == s.endLocked() {
		b := c.batch
		s.mu.Unlock()
		return b, b.Len() > 0
	}
	end := s.endLocked()
	if limit > 0 {
		end = c.next + min(end-c.next, int64(limit)) // the limit can be too large to add to
	}
	var dead pile[T]
	c.advanceLocked(&dead) // from the end of a segment that was the tail: the batch must not keep what it does not hold
	b := Batch[T]{first: c.next, end: end, seg: c.seg}
	c.batch = b
	c.next = end
	c.ringAt = never // what comes now waits for the commit
	s.setLimitLocked()
	s.mu.Unlock()
	s.recycle(dead)

	// The cursor's segment follows outside the mutex, through as many segments as the batch has.
	last := b.seg
	for last != nil && last.end < end {
		last = last.next.Load()
	}
	s.mu.Lock()
	if c.seg == b.seg && c.batch == b && last != nil { // else a drop, a commit or Close was here first
		c.seg = last
	}
	s.mu.Unlock()
	return b, true
}

// Commit says that the batch in flight was handled: the consumer moves past it, and memory that no consumer needs any more
// is freed. The batch must not be read after that.
func (c *Consumer[T]) Commit(b Batch[T]) error { return c.settle(b, &c.handled) }

// Discard is Commit for a batch that will not be handled: its events count as dropped.
func (c *Consumer[T]) Discard(b Batch[T]) error { return c.settle(b, &c.dropped) }

// settle ends the flight of a batch, and counts its events in a field of the consumer.
func (c *Consumer[T]) settle(b Batch[T], count *int64) error {
	s := c.store
	s.mu.Lock()
	if b.Len() == 0 || b != c.batch {
		s.mu.Unlock()
		return ErrNotInFlight
	}
	var dead pile[T]
	*count += int64(b.Len())
	c.batch = Batch[T]{}
	c.inBurst = false
	last := c.seg
	if c.closed {
		s.unparkLocked(c)
	} else {
		c.advanceLocked(&dead)
		c.armLocked()
	}
	part := s.clearableLocked()
	s.setLimitLocked()
	s.mu.Unlock()

	c.signal()
	for g := b.seg; g != last && g.base < b.end; {
		next := g.next.Load() // before the reference goes
		if g.unref() {
			dead.add(g)
		}
		g = next
	}
	part.clear(&dead)
	s.recycle(dead)
	return nil
}

// advanceLocked moves seg to where next is, and gives up what the consumer has passed and no batch in flight holds.
func (c *Consumer[T]) advanceLocked(dead *pile[T]) {
	for c.next >= c.seg.end && c.seg.next.Load() != nil {
		g := c.seg
		c.seg = g.next.Load()
		if (c.batch.Len() == 0 || g.base >= c.batch.end) && g.unref() {
			dead.add(g)
		}
	}
}

// dropLocked drops the oldest waiting events of a consumer whose lag exceeds its bound. Those of a batch in flight stay: a
// retry is the same batch. It sets ring at the first drop of a burst, and says whether it did.
func (c *Consumer[T]) dropLocked(end int64, dead *pile[T]) bool {
	if end-c.next <= c.maxLag {
		return false
	}
	step := min(max(c.dropStep, end-c.next-c.maxLag), end-c.next)
	c.next += step
	c.dropped += step
	c.advanceLocked(dead)
	if c.inBurst {
		return false
	}
	c.inBurst = true
	c.ring.Store(true)
	return true
}

// Close takes the consumer out of the store, so that nothing is kept for it. The events that wait for it count as dropped. A
// batch in flight stays readable, until it is committed or discarded; its memory is not used again before that. It may be called
// again.
func (c *Consumer[T]) Close() {
	s := c.store
	s.mu.Lock()
	if c.closed {
		s.mu.Unlock()
		return
	}
	c.closed = true
	b := c.batch
	c.dropped += s.endLocked() - c.next
	c.next = s.endLocked()
	from, tail := c.seg, s.tail
	c.seg, c.ringAt = nil, never
	s.dropConsumerLocked(c, b.Len() > 0)
	part := s.clearableLocked()
	s.setLimitLocked()
	s.mu.Unlock()

	var dead pile[T]
	for g := from; g != nil; {
		next := g.next.Load()
		if g == tail {
			next = nil
		}
		if (b.Len() == 0 || g.base >= b.end) && g.unref() {
			dead.add(g)
		}
		g = next
	}
	part.clear(&dead)
	s.recycle(dead)
}

// dropConsumerLocked takes a consumer off the list, and parks it if it has a batch in flight.
func (s *Store[T]) dropConsumerLocked(c *Consumer[T], park bool) {
	var others []*Consumer[T]
	for _, other := range s.consumers {
		if other != c {
			others = append(others, other)
		}
	}
	s.consumers = others
	if park {
		s.parked = append(s.parked, c)
	}
}

func (s *Store[T]) unparkLocked(c *Consumer[T]) {
	for i, other := range s.parked {
		if other == c {
			s.parked = append(s.parked[:i], s.parked[i+1:]...)
			return
		}
	}
}
