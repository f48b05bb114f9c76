package eventstore

import "unsafe"

// Stats is what a store holds and has done, at one moment.
type Stats struct {
	Appended int64 // events taken since New
	Rejected int64 // events refused after Close
	// Stored is how many events are kept because some consumer needs them or one behind them.
	Stored int64
	// Segments hold events, and FreeSegments wait to hold some; all their arrays together take Bytes, without what the
	// events refer to.
	Segments, FreeSegments int
	Bytes                  int64
	Consumers              []ConsumerStats // in the order in which they were added; without closed ones
}

// ConsumerStats is what became of the events that were appended since the consumer was added, at one moment:
// Added = Handled + Dropped + InFlight + Waiting.
type ConsumerStats struct {
	Name     string
	Added    int64 // appended since the consumer was added, until it was closed
	Handled  int64 // committed
	Dropped  int64 // given up: past MaxLag, discarded, or waiting when the consumer was closed
	InFlight int64 // in the batch that was fetched and is neither committed nor discarded
	Waiting  int64 // not fetched yet
}

// Lag is how many events are not settled yet: those in flight and those that wait.
func (s ConsumerStats) Lag() int64 { return s.InFlight + s.Waiting }

// Stats reports on the store and its consumers.
func (s *Store[T]) Stats() Stats {
	var none T
	s.mu.Lock()
	room := len(s.consumers)
	s.mu.Unlock()
	list := make([]ConsumerStats, 0, room) // not under the mutex
	s.mu.Lock()
	defer s.mu.Unlock()
	end := s.endLocked()
	stats := Stats{
		Appended:     end + s.unseen,
		Rejected:     s.rejected,
		Segments:     s.live,
		FreeSegments: s.free.count,
		Bytes:        int64(s.live+s.free.count) * int64(s.segmentSize) * int64(unsafe.Sizeof(none)),
		Consumers:    list,
	}
	oldest := end
	for _, c := range s.consumers {
		stats.Consumers = append(stats.Consumers, c.statsLocked())
		oldest = min(oldest, c.oldestLocked())
	}
	stats.Stored = end - oldest
	return stats
}

// Stats reports on the consumer. It may be called after Close, too.
func (c *Consumer[T]) Stats() ConsumerStats {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	return c.statsLocked()
}

func (c *Consumer[T]) statsLocked() ConsumerStats {
	end := c.next
	if !c.closed {
		end = c.store.endLocked()
	}
	return ConsumerStats{
		Name:     c.name,
		Added:    end - c.start,
		Handled:  c.handled,
		Dropped:  c.dropped,
		InFlight: int64(c.batch.Len()),
		Waiting:  end - c.next,
	}
}

// oldestLocked is the offset of the oldest event that the consumer needs.
func (c *Consumer[T]) oldestLocked() int64 {
	if c.batch.Len() > 0 {
		return c.batch.first
	}
	return c.next
}
