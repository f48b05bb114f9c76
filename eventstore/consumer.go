package eventstore

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
)

const (
	// DefaultMaxLag bounds the lag of a consumer that has no threshold.
	DefaultMaxLag = 1_000_000
	// lagPerThreshold makes the default bound of a consumer with a threshold: ten batches, which at the three minutes
	// a batch of a busy service are half an hour of outage.
	lagPerThreshold = 10
	// dropSteps is in how many steps a whole bound would be dropped. More at a time makes a full store's Append cheaper, fewer
	// keep more of what could still be delivered. Arbitrary.
	dropSteps = 16
	// unbounded is what no lag reaches, and can be added to an offset. Larger options mean the same.
	unbounded = math.MaxInt / 2
)

// ConsumerOptions are the settings of a [Consumer]. The zero value stands for the defaults.
type ConsumerOptions struct {
	// Threshold is how many waiting events make the consumer due. 0 is never; a negative one is an error.
	Threshold int
	// MaxLag is how many events may wait for the consumer, without those of the batch in flight. Past it the oldest
	// are dropped for this consumer and counted, a few at a time: a sixteenth of MaxLag, a segment, or one.
	// 0 is ten times the threshold, or [DefaultMaxLag] without one; less than the threshold is an error.
	MaxLag int
}

// complete returns the options with their defaults.
func (o ConsumerOptions) complete() (ConsumerOptions, error) {
	if o.Threshold < 0 {
		return o, fmt.Errorf("eventstore: Threshold is %d; use 0 for none, or more", o.Threshold)
	}
	o.Threshold, o.MaxLag = min(o.Threshold, unbounded/lagPerThreshold), min(o.MaxLag, unbounded)
	if o.MaxLag == 0 {
		o.MaxLag = DefaultMaxLag
		if o.Threshold > 0 {
			o.MaxLag = lagPerThreshold * o.Threshold
		}
	}
	if o.MaxLag < max(o.Threshold, 1) {
		return o, fmt.Errorf("eventstore: MaxLag is %d; use at least the threshold of %d, so that the consumer is due before events are dropped", o.MaxLag, o.Threshold)
	}
	return o, nil
}

// Errors that a caller may decide on.
var (
	// ErrDuplicate is returned for a consumer whose name the store has already.
	ErrDuplicate = errors.New("eventstore: the store has a consumer of that name")
	// ErrNotInFlight is returned for a batch that is not the one in flight: it was committed or discarded before.
	ErrNotInFlight = errors.New("eventstore: the batch is not in flight")
)

// Consumer is a cursor in a store: it fetches the events in order, as batches, and commits each when it was handled. One
// batch is in flight at a time. All methods may be called at the same time.
type Consumer[T any] struct {
	name  string
	store *Store[T]
	// due has one slot: wake-ups that find it taken are served by the one that waits.
	due chan struct{}
	// ring is set, under the mutex, by whoever finds the consumer due, and taken by whoever then signals without the mutex:
	// set and taken in one atomic step each, and a signal too many does no harm.
	ring atomic.Bool

	// The rest is guarded by the store's mutex.
	threshold, maxLag, dropStep int64
	// seg holds next, or ends there; right after a fetch it may be as far behind as the start of the batch. The consumer has a
	// reference to it and to all after it.
	seg  *segment[T]
	next int64 // the next event to fetch
	// batch is in flight if it is not empty. It has references to the segments that it begins in up to the one that it ends
	// in, but for seg, which it shares with the consumer.
	batch                   Batch[T]
	ringAt                  int64 // the end of the store at which the consumer is due, or never
	start, handled, dropped int64
	inBurst                 bool // events were dropped since the last commit
	closed                  bool
}

// Consumer adds a consumer, which starts at the current end of the log.
func (s *Store[T]) Consumer(name string, o ConsumerOptions) (*Consumer[T], error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	c := &Consumer[T]{name: name, store: s, due: make(chan struct{}, 1), ringAt: never}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.consumers {
		if other.name == name {
			return nil, fmt.Errorf("%w: %q", ErrDuplicate, name)
		}
	}
	c.seg, c.next = s.tail, s.endLocked()
	c.start = c.next
	c.seg.refs.Add(1) // the store has one, so it is above zero
	c.setLocked(o)
	s.consumers = append(s.consumers[:len(s.consumers):len(s.consumers)], c)
	s.setLimitLocked()
	return c, nil
}

// Name is the name that the consumer was added with.
func (c *Consumer[T]) Name() string { return c.name }

// Configure changes the options. A bound on the lag that is now exceeded shows at the next Append.
func (c *Consumer[T]) Configure(o ConsumerOptions) error {
	o, err := o.complete()
	if err != nil {
		return err
	}
	c.store.mu.Lock()
	c.setLocked(o)
	c.store.setLimitLocked()
	c.store.mu.Unlock()
	c.signal()
	return nil
}

func (c *Consumer[T]) setLocked(o ConsumerOptions) {
	c.threshold, c.maxLag = int64(o.Threshold), int64(o.MaxLag)
	c.dropStep = max(1, min(c.maxLag/dropSteps, int64(c.store.segmentSize)))
	if c.batch.Len() == 0 {
		c.armLocked()
	}
}

// Due receives when the threshold is reached, and when the first events of a burst are dropped. Wake-ups are coalesced:
// one may stand for several reasons, and the consumer is not due again for its threshold before the next commit.
func (c *Consumer[T]) Due() <-chan struct{} { return c.due }

// armLocked has the consumer be due at its threshold, which may be reached already: then ring is set.
func (c *Consumer[T]) armLocked() {
	c.ringAt = never
	if c.threshold > 0 && !c.closed {
		c.ringAt = c.next + c.threshold
		c.ringLocked(c.store.endLocked())
	}
}

// ringLocked sets ring if the consumer is due, and says whether it did.
func (c *Consumer[T]) ringLocked(end int64) bool {
	if end < c.ringAt {
		return false
	}
	c.ringAt = never
	c.ring.Store(true)
	return true
}

// signal wakes whoever waits for the consumer if ring is set. The mutex is not held.
func (c *Consumer[T]) signal() {
	if !c.ring.Load() || !c.ring.CompareAndSwap(true, false) {
		return
	}
	select {
	case c.due <- struct{}{}:
	default: // one is waiting to be received
	}
}
