package eventstore

import "slices"

// naive is what a store of int64 is meant to do, without any of the ways in which it does it: each consumer owns
// copies of the events that it has not settled.
type naive struct {
	size      int64 // of a segment
	closed    bool
	end       int64 // the offset of the next event
	appended  int64
	rejected  int64
	consumers []*naiveConsumer // closed ones too
}

type naiveConsumer struct {
	name                        string
	threshold, maxLag, dropStep int64
	start, next, ringAt         int64
	first                       int64   // of the batch in flight
	flight, waiting             []int64 // the events
	handled, dropped            int64
	burst, due, closed          bool
	added                       int64 // when it was closed
}

func (m *naive) open(i int) *naiveConsumer {
	var open []*naiveConsumer
	for _, c := range m.consumers {
		if !c.closed {
			open = append(open, c)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return open[i%len(open)]
}

func (m *naive) append(event int64) bool {
	if m.closed {
		m.rejected++
		return false
	}
	m.appended++
	if m.open(0) == nil {
		return true
	}
	m.end++
	for _, c := range m.consumers {
		if c.closed {
			continue
		}
		c.waiting = append(c.waiting, event)
		if lag := int64(len(c.waiting)); lag > c.maxLag {
			step := min(max(c.dropStep, lag-c.maxLag), lag)
			c.waiting = c.waiting[step:]
			c.next += step
			c.dropped += step
			c.due = c.due || !c.burst
			c.burst = true
		}
		c.ring(m.end)
	}
	return true
}

func (c *naiveConsumer) ring(end int64) {
	if end >= c.ringAt {
		c.due, c.ringAt = true, never
	}
}

func (c *naiveConsumer) arm(end int64) {
	c.ringAt = never
	if c.threshold > 0 && !c.closed {
		c.ringAt = c.next + c.threshold
		c.ring(end)
	}
}

func (m *naive) configure(c *naiveConsumer, o ConsumerOptions) {
	c.threshold, c.maxLag = int64(o.Threshold), int64(o.MaxLag)
	c.dropStep = max(1, min(c.maxLag/16, m.size))
	if len(c.flight) == 0 {
		c.arm(m.end)
	}
}

func (m *naive) consumer(name string, o ConsumerOptions) *naiveConsumer {
	c := &naiveConsumer{name: name, start: m.end, next: m.end}
	m.configure(c, o)
	m.consumers = append(m.consumers, c)
	return c
}

// fetch returns the offset of the first event of the batch in flight, and the events.
func (c *naiveConsumer) fetch(limit int) (int64, []int64) {
	if len(c.flight) == 0 && len(c.waiting) > 0 {
		n := len(c.waiting)
		if limit > 0 {
			n = min(n, limit)
		}
		c.first, c.flight, c.waiting = c.next, slices.Clone(c.waiting[:n]), c.waiting[n:]
		c.next += int64(n)
		c.ringAt = never
	}
	return c.first, c.flight
}

func (m *naive) settle(c *naiveConsumer, count *int64) {
	*count += int64(len(c.flight))
	c.flight, c.burst = nil, false
	c.arm(m.end)
}

func (m *naive) close(c *naiveConsumer) {
	if c.closed {
		return
	}
	c.closed, c.ringAt, c.added = true, never, m.end-c.start
	c.dropped += int64(len(c.waiting))
	c.waiting = nil
}

func (m *naive) stats(c *naiveConsumer) ConsumerStats {
	added := m.end - c.start
	if c.closed {
		added = c.added
	}
	return ConsumerStats{
		Name: c.name, Added: added, Handled: c.handled, Dropped: c.dropped,
		InFlight: int64(len(c.flight)), Waiting: int64(len(c.waiting)),
	}
}

// stored is how many events are kept for some consumer that is not closed.
func (m *naive) stored() int64 {
	most := 0
	for _, c := range m.consumers {
		if c.closed {
			continue
		}
		// A drop takes events from between the batch in flight and those that wait; the ones in between are kept or not.
		if len(c.flight) > 0 {
			most = max(most, int(m.end-c.first))
		} else {
			most = max(most, len(c.waiting))
		}
	}
	return int64(most)
}
