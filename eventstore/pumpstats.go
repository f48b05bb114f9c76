package eventstore

// PumpStats is what became of a consumer's events and of the calls of its handler. The two are read one after the other, so
// a call that ends in between is in one of them.
type PumpStats struct {
	ConsumerStats
	Calls     int64 // of the handler
	Failures  int64 // calls that ended in an error or a panic
	Panics    int64
	Abandoned int64 // calls that did not return in time, or that Stop left behind; one that returns an error later is a failure, too
	Hung      bool  // an abandoned call is still running
	LastError error // of the last failure or abandoned call; a success after it does not change it
}

// callCounts are the pump's own part of its stats.
type callCounts struct {
	calls, failures, panics, abandoned int64
	hung                               bool
	lastError                          error
}

// Stats reports on the pump and its consumer, at any time, after Stop too.
func (p *Pump[T]) Stats() PumpStats {
	events := p.consumer.Stats()
	p.mu.Lock()
	defer p.mu.Unlock()
	return PumpStats{
		ConsumerStats: events,
		Calls:         p.counts.calls,
		Failures:      p.counts.failures,
		Panics:        p.counts.panics,
		Abandoned:     p.counts.abandoned,
		Hung:          p.counts.hung,
		LastError:     p.counts.lastError,
	}
}

// count changes the counts.
func (p *Pump[T]) count(change func(*callCounts)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.counts)
}

// countReturn counts the return of a call.
func (p *Pump[T]) countReturn(err error) {
	p.count(func(c *callCounts) {
		c.hung = false
		if err == nil {
			return
		}
		c.failures++
		c.lastError = err
		if _, ok := err.(*PanicError); ok {
			c.panics++
		}
	})
}

// progress returns the offset below which all events are settled, handled or dropped, and the end of those that the consumer is
// to get.
func (c *Consumer[T]) progress() (settled, end int64) {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	if c.closed {
		return c.oldestLocked(), c.next
	}
	return c.oldestLocked(), c.store.endLocked()
}
