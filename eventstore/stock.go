package eventstore

// A log that grows needs a new array every few hundred events, and making one takes longer than all the appends that fill it.
// So a running pump keeps a stock of free arrays: as many as a quarter of those in the log, and at most 64, which are used up
// by the next 16,384 appends. Measured with a million stored events, the 99.9th percentile
// of an append is a tenth of what it is without (docs/performance.md); a stock twice as large did not make it less.
const (
	stockShare = 4
	stockMost  = 64
)

// stockLocked is how many free arrays there should be.
func (s *Store[T]) stockLocked() int { return min(s.live/stockShare, stockMost) }

// lowLocked says whether the stock is more than half used up.
func (s *Store[T]) lowLocked() bool { return 2*s.free.count < s.stockLocked() }

// signalLow has a pump fill the stock. Without a pump that runs, or before it comes to it, whoever appends makes the array
// that it needs.
func (s *Store[T]) signalLow() {
	select {
	case s.low <- struct{}{}:
	default: // one signal is enough
	}
}

// restock makes arrays until the stock is full. Each can be used as soon as it is made.
func (s *Store[T]) restock() {
	for {
		s.mu.Lock()
		full := s.closed || s.free.count >= s.stockLocked()
		s.mu.Unlock()
		if full {
			return
		}
		s.addArray()
	}
}

// addArray makes an array for the stock. The mutex is not held.
func (s *Store[T]) addArray() {
	fresh := &segment[T]{items: make([]T, s.segmentSize)}
	touch(fresh.items)
	s.mu.Lock()
	s.free.push(fresh, fresh, 1)
	s.mu.Unlock()
}
