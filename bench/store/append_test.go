package store

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/offlock/offlock/eventstore"
)

func TestEventHasTheSizeOfAFeatureEvent(t *testing.T) {
	if size := unsafe.Sizeof(Event{}); size != 152 {
		t.Fatalf("an Event has %d bytes", size)
	}
}

// queue is one way to hand events from many goroutines to one.
type queue struct {
	append func(Event)
	drain  func() int // takes what is there, and says how much
	// receive, if it is set, reads instead of drain, adds to the count, and returns when finish was called.
	receive func(count *atomic.Int64)
	finish  func()
}

var ways = []struct {
	name string
	make func() queue
}{
	{"slice", mutexSlice},
	{"channel", channel},
	{"eventstore", func() queue { return ofStore(1) }},
	{"eventstore-3-consumers", func() queue { return ofStore(3) }},
	{"fetchadd", func() queue { q := newFetchAdd(); return queue{append: q.append, drain: q.drain} }},
	{"spinning", func() queue {
		q := &spinning{events: make([]Event, bound)}
		return queue{append: q.append, drain: q.drain}
	}},
	{"sharded", func() queue { q := newSharded(); return queue{append: q.append, drain: q.drain} }},
}

func BenchmarkAppend(b *testing.B) {
	for _, way := range ways {
		for _, producers := range []int{1, 2, 64} {
			b.Run(fmt.Sprintf("way=%s/goroutines=%d", way.name, producers), func(b *testing.B) {
				measure(b, way.make(), producers)
			})
		}
	}
}

// slice is a ring that is allocated beforehand, under a mutex: about the least that a shared log can cost.
type slice struct {
	mu       sync.Mutex
	events   []Event
	at, read int
}

func (s *slice) append(e Event) {
	s.mu.Lock()
	if s.at-s.read == len(s.events) {
		panic("the producers went past their bound")
	}
	s.events[s.at%bound] = e
	s.at++
	s.mu.Unlock()
}

func (s *slice) drain() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	count := s.at - s.read
	s.read = s.at
	return count
}

func mutexSlice() queue {
	s := &slice{events: make([]Event, bound)}
	return queue{append: s.append, drain: s.drain}
}

// channel is what most libraries of this kind put between the caller and their goroutine.
func channel() queue {
	events := make(chan Event, bound)
	return queue{
		append: func(e Event) {
			for {
				select {
				case events <- e:
					return
				default:
					runtime.Gosched()
				}
			}
		},
		receive: func(count *atomic.Int64) {
			for range events {
				count.Add(1)
			}
		},
		finish: func() { close(events) },
	}
}

func ofStore(consumers int) queue {
	s, err := eventstore.New[Event](eventstore.Options{})
	if err != nil {
		panic(err)
	}
	var all []*eventstore.Consumer[Event]
	for i := range consumers {
		c, err := s.Consumer(fmt.Sprint(i), eventstore.ConsumerOptions{MaxLag: 1 << 40})
		if err != nil {
			panic(err)
		}
		all = append(all, c)
	}
	return queue{
		append: func(e Event) { s.Append(e) },
		drain: func() int {
			count := 0
			for _, c := range all {
				if batch, ok := c.Fetch(0); ok {
					count = batch.Len()
					_ = c.Commit(batch)
				} else {
					count = 0
				}
			}
			return count
		},
	}
}

// measure has the producers append b.N events, while one goroutine drains whenever a batch is there. All ways pay the same
// for the bound: each producer counts a batch of its own at a time, and yields while the queue holds more than its bound.
func measure(b *testing.B, q queue, producers int) {
	var added, drained atomic.Int64
	wake := make(chan struct{}, 1)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		if q.receive != nil {
			q.receive(&drained)
			return
		}
		for range wake {
			drained.Add(int64(q.drain()))
		}
		drained.Add(int64(q.drain()))
	}()
	share := func(events int) {
		e := Event{Kind: "feature", UserKey: "user", Key: "flag", Variation: "on", Value: true}
		for events > 0 {
			part := min(events, batch/producers)
			for range part {
				q.append(e)
			}
			events -= part
			added.Add(int64(part))
			select {
			case wake <- struct{}{}:
			default:
			}
			for added.Load()-drained.Load() > bound/2 {
				runtime.Gosched()
			}
		}
	}
	share(2 * bound) // warm: pages touched, arrays in circulation
	b.ReportAllocs()
	b.ResetTimer()
	var running sync.WaitGroup
	for p := range producers {
		running.Go(func() { share(b.N/producers + min(1, max(0, b.N%producers-p))) })
	}
	running.Wait()
	b.StopTimer()
	close(wake)
	if q.finish != nil {
		q.finish()
	}
	<-finished
	if want := int64(2*bound + b.N); drained.Load() != want {
		b.Fatalf("%d events were delivered of %d", drained.Load(), want)
	}
}
