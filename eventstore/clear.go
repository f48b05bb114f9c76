package eventstore

// part is the front of a segment that no consumer needs any more while the rest is still needed, with a reference to it.
// The zero value is none.
type part[T any] struct {
	seg      *segment[T]
	from, to int
}

// clear takes what the events of the part refer to out of reach. The mutex is not held.
func (p part[T]) clear(dead *pile[T]) {
	if p.seg == nil {
		return
	}
	clear(p.seg.items[p.from:p.to])
	if p.seg.unref() {
		dead.add(p.seg)
	}
}

// clearableLocked finds the part below the slowest consumer in the segment that it is in, and marks it as cleared. All segments
// below that one have no reference left and are recycled whole.
func (s *Store[T]) clearableLocked() part[T] {
	seg, pos := s.tail, s.endLocked()
	for _, c := range s.consumers {
		at, g := c.next, c.seg
		if c.batch.Len() > 0 {
			at, g = c.batch.first, c.batch.seg
		}
		if at < pos || at == pos && g.base < seg.base { // one that stands at the end of a segment holds that one
			pos, seg = at, g
		}
	}
	from, to := seg.cleared, int(min(pos, seg.end)-seg.base)
	if from >= to {
		return part[T]{}
	}
	for _, c := range s.parked {
		if c.batch.first < pos && c.batch.end > seg.base+int64(from) {
			return part[T]{} // somebody may still read there
		}
	}
	seg.cleared = to
	seg.refs.Add(1) // the consumer that is in it has one, or the store, so it is above zero
	return part[T]{seg, from, to}
}
