package modeltest

import (
	"fmt"
	"math"
	"slices"

	"github.com/offlock/offlock/eventstore"
)

// state is a store as its documentation describes it. It is a value: each operation returns another one, and none changes what
// an earlier one refers to. Its consumers are known by their index and are never taken off the list.
type state struct {
	segment          int64
	closed           bool
	log              []int // the events, by offset
	unseen, rejected int64
	cursors          []cursor
}

// cursor is a consumer.
type cursor struct {
	options          eventstore.ConsumerOptions
	start, next      int64
	flight           span
	handled, dropped int64
	dueAt            int64 // the end of the log at which it is due
	due              bool  // a wake-up is waiting
	burst, closed    bool
	gone             int64 // the end of the log when it was closed
}

// span is the offsets of a batch; the empty one is at 0.
type span struct{ first, end int64 }

const never = math.MaxInt64

func (s state) end() int64 { return int64(len(s.log)) }

// change returns a state with one cursor changed.
func (s state) change(i int, change func(*cursor)) state {
	s.cursors = slices.Clone(s.cursors)
	change(&s.cursors[i])
	return s
}

func (s state) anyOpen() bool {
	return slices.ContainsFunc(s.cursors, func(c cursor) bool { return !c.closed })
}

func (s state) append(event int) (state, bool) {
	switch {
	case s.closed:
		s.rejected++
		return s, false
	case !s.anyOpen():
		s.unseen++
		return s, true
	}
	s.log = append(s.log[:len(s.log):len(s.log)], event)
	s.cursors = slices.Clone(s.cursors)
	for i := range s.cursors {
		if c := &s.cursors[i]; !c.closed {
			c.drop(s.end(), s.segment)
			c.ring(s.end())
		}
	}
	return s, true
}

// drop gives up the oldest waiting events if there are more than may wait.
func (c *cursor) drop(end, segment int64) {
	most := int64(c.options.MaxLag)
	waiting := end - c.next
	if waiting <= most {
		return
	}
	step := max(1, min(most/16, segment), waiting-most)
	c.next += step
	c.dropped += step
	c.due = c.due || !c.burst
	c.burst = true
}

func (c *cursor) ring(end int64) {
	if end >= c.dueAt {
		c.due, c.dueAt = true, never
	}
}

// arm has the cursor be due when a threshold of events waits.
func (c *cursor) arm(end int64) {
	c.dueAt = never
	if c.options.Threshold > 0 && !c.closed {
		c.dueAt = c.next + int64(c.options.Threshold)
		c.ring(end)
	}
}

// add returns a state with one more cursor.
func (s state) add(o eventstore.ConsumerOptions) state {
	c := cursor{options: o, start: s.end(), next: s.end()}
	c.arm(s.end())
	s.cursors = append(s.cursors[:len(s.cursors):len(s.cursors)], c)
	return s
}

func (s state) configure(i int, o eventstore.ConsumerOptions) state {
	return s.change(i, func(c *cursor) {
		c.options = o
		if c.flight == (span{}) {
			c.arm(s.end())
		}
	})
}

func (s state) fetch(i, limit int) (state, span) {
	c := s.cursors[i]
	if c.flight == (span{}) && !c.closed && c.next < s.end() {
		end := s.end()
		if limit > 0 {
			end = min(end, c.next+int64(limit))
		}
		s = s.change(i, func(c *cursor) {
			c.flight, c.next, c.dueAt = span{c.next, end}, end, never
		})
	}
	return s, s.cursors[i].flight
}

// settle commits or discards a batch, and says whether it was the one in flight.
func (s state) settle(i int, batch span, discard bool) (state, bool) {
	if batch == (span{}) || batch != s.cursors[i].flight {
		return s, false
	}
	return s.change(i, func(c *cursor) {
		if discard {
			c.dropped += batch.end - batch.first
		} else {
			c.handled += batch.end - batch.first
		}
		c.flight, c.burst = span{}, false
		c.arm(s.end())
	}), true
}

func (s state) leave(i int) state {
	return s.change(i, func(c *cursor) {
		if !c.closed {
			c.closed, c.gone, c.dueAt = true, s.end(), never
			c.dropped += s.end() - c.next
			c.next = s.end()
		}
	})
}

func (s state) events(b span) []int { return s.log[b.first:b.end] }

// name is the name of the consumer with an index.
func name(i int) string { return fmt.Sprint("c", i) }

func (s state) consumerStats(i int) eventstore.ConsumerStats {
	c := s.cursors[i]
	end := s.end()
	if c.closed {
		end = c.gone
	}
	return eventstore.ConsumerStats{
		Name: name(i), Added: end - c.start, Handled: c.handled, Dropped: c.dropped,
		InFlight: c.flight.end - c.flight.first, Waiting: end - min(c.next, end),
	}
}

// stats returns what the store's Stats say, but for what is said of memory.
func (s state) stats() eventstore.Stats {
	stats := eventstore.Stats{Appended: s.end() + s.unseen, Rejected: s.rejected}
	for i, c := range s.cursors {
		if c.closed {
			continue
		}
		stats.Consumers = append(stats.Consumers, s.consumerStats(i))
		oldest := c.next
		if c.flight != (span{}) {
			oldest = c.flight.first
		}
		stats.Stored = max(stats.Stored, s.end()-oldest)
	}
	return stats
}
