package eventstore

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// stressEvents is how many events the long stress moves.
func stressEvents() int {
	switch {
	case testing.Short():
		return 100_000
	case raceEnabled:
		return 1_000_000
	default:
		return 10_000_000
	}
}

// numbered is an event that shows whether it is whole, and whose it is. The zero value is not valid.
type numbered struct{ producer, seq, check uint64 }

func number(producer int, seq uint64) numbered {
	p := uint64(producer)
	return numbered{p, seq, (p+1)*0x9E3779B97F4A7C15 ^ seq}
}

// ledger holds the last event seen of each producer.
type ledger struct {
	last [64]uint64
	seen [64]bool
}

// read checks a batch against the ledger and returns what the ledger is after it. After a gap, events may be missing; none may be
// repeated or out of order in any case, and none may be missing within a batch.
func (l ledger) read(b Batch[numbered], gap bool) (ledger, error) {
	if gap {
		l.seen = [64]bool{}
	}
	count := 0
	for e := range b.All() {
		count++
		if e.seq == 0 || e.producer >= 64 || e != number(int(e.producer), e.seq) {
			return l, fmt.Errorf("offsets %d to %d: event %d is not one that was appended: %+v", b.First(), b.Last(), count, e)
		}
		last := l.last[e.producer]
		if e.seq <= last {
			return l, fmt.Errorf("producer %d: %d after %d", e.producer, e.seq, last)
		}
		if l.seen[e.producer] && e.seq != last+1 {
			return l, fmt.Errorf("producer %d: %d after %d, and nothing was dropped", e.producer, e.seq, last)
		}
		l.last[e.producer], l.seen[e.producer] = e.seq, true
	}
	if count != b.Len() {
		return l, fmt.Errorf("a batch of %d events has %d", b.Len(), count)
	}
	return l, nil
}

// fromTheStart is the ledger of a consumer that sees everything from the first event on.
func fromTheStart() ledger {
	var l ledger
	for i := range l.seen {
		l.seen[i] = true
	}
	return l
}

// yield lets others run.
func yield(turns int) {
	for range turns {
		runtime.Gosched()
	}
}

// TestStoreConcurrentSafeOrder: 64 producers and four consumers of different speed, one of which fails a third of its batches;
// nothing lost, repeated or out of order. Segments are tiny, so that they are used again all the time.
func TestStoreConcurrentSafeOrder(t *testing.T) {
	const producers, window = 64, 20_000
	each := uint64(stressEvents() / producers)
	total := int64(each * producers)
	s, err := New[numbered](Options{SegmentSize: 8})
	if err != nil {
		t.Fatal(err)
	}
	readers := []reader{{limit: 0}, {limit: 3000, fails: true}, {limit: 1000, turns: 10}, {limit: 100, turns: 1}}
	var producing, reading sync.WaitGroup
	var done, failed atomic.Bool // nothing more comes; a reader has ended early
	for i := range readers {
		r := &readers[i]
		r.c = addTo(t, s, fmt.Sprint(i), ConsumerOptions{MaxLag: math.MaxInt})
		reading.Go(func() {
			if err := r.run(rand.New(rand.NewPCG(uint64(i), 1)), &done); err != nil {
				t.Errorf("consumer %d: %v", i, err)
				failed.Store(true)
			}
		})
	}
	for p := range producers {
		producing.Go(func() {
			for seq := uint64(1); seq <= each; seq++ {
				s.Append(number(p, seq))
				if seq%64 > 0 {
					continue
				}
				for i := range readers { // no more than a window ahead of the slowest
					for readers[i].c.Stats().Lag() > window && !failed.Load() {
						yield(1)
					}
				}
			}
		})
	}
	producing.Wait()
	done.Store(true)
	reading.Wait()
	for i, c := range s.Stats().Consumers {
		if want := (ConsumerStats{Name: c.Name, Added: total, Handled: total}); c != want || readers[i].settled != total {
			t.Errorf("consumer %d has settled %d: %+v, want %+v", i, readers[i].settled, c, want)
		}
	}
	audit := newAudit(t, s)
	audit.check()
	audit.cleared()
}

// reader is one goroutine that fetches and commits.
type reader struct {
	limit, turns int // of a batch; for which it rests over one
	fails        bool
	c            *Consumer[numbered]
	settled      int64
}

// run reads until there is nothing left after done.
func (r *reader) run(random *rand.Rand, done *atomic.Bool) error {
	for books := fromTheStart(); ; {
		last := done.Load()
		b, ok := r.c.Fetch(r.limit)
		if !ok && last {
			return nil
		}
		if !ok {
			yield(1)
			continue
		}
		after, err := books.read(b, false)
		if err != nil {
			return err
		}
		yield(r.turns)
		if r.fails && random.IntN(3) == 0 {
			if again, ok := r.c.Fetch(1); !ok || again != b {
				return fmt.Errorf("the batch at %d is not the same again", b.First())
			}
			continue
		}
		if err := r.c.Commit(b); err != nil {
			return err
		}
		books = after
		r.settled += int64(b.Len())
	}
}

// TestStoreConcurrentSafeCommit: of several that commit or discard one batch, one succeeds, and it counts once.
func TestStoreConcurrentSafeCommit(t *testing.T) {
	const workers = 4
	total := int64(stressEvents() / 20)
	s := newStore(t, 3)
	c := addTo(t, s, "c", ConsumerOptions{MaxLag: math.MaxInt})
	var all sync.WaitGroup
	var handled, dropped atomic.Int64
	all.Go(func() { appendRun(t, s, 0, total) })
	for i := range workers {
		all.Go(func() {
			for handled.Load()+dropped.Load() < total {
				b, ok := c.Fetch(1 + i*7)
				if !ok {
					yield(1)
					continue
				}
				if i == 0 && c.Discard(b) == nil {
					dropped.Add(int64(b.Len()))
				} else if i > 0 && c.Commit(b) == nil {
					handled.Add(int64(b.Len()))
				}
			}
		})
	}
	all.Wait()
	if got, want := c.Stats(), (ConsumerStats{Name: "c", Added: total, Handled: handled.Load(), Dropped: dropped.Load()}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	audit := newAudit(t, s)
	audit.check()
	audit.cleared()
}

// TestStoreConcurrentSafeClose: each event that was taken is fetched, each that was refused is counted.
func TestStoreConcurrentSafeClose(t *testing.T) {
	const producers, each = 8, 500
	for range 1 + stressEvents()/500_000 {
		s := newStore(t, 3)
		c := addTo(t, s, "c", ConsumerOptions{})
		var all sync.WaitGroup
		var taken atomic.Int64
		for range producers {
			all.Go(func() {
				for range each {
					if s.Append(1) {
						taken.Add(1)
					}
				}
			})
		}
		all.Go(func() {
			for c.Stats().Added < each {
				yield(1)
			}
			s.Close()
		})
		all.Wait()
		var fetched int64
		for b, ok := c.Fetch(100); ok; b, ok = c.Fetch(100) {
			fetched += int64(b.Len())
			mustCommit(t, c, b)
		}
		if got := s.Stats(); got.Appended != taken.Load() || got.Appended+got.Rejected != producers*each || fetched != taken.Load() {
			t.Fatalf("%+v, %d were taken and %d fetched of %d", got, taken.Load(), fetched, producers*each)
		}
	}
}

// TestStoreConcurrentSafeDue: a consumer that does nothing unless it is due is never left with a threshold of events.
func TestStoreConcurrentSafeDue(t *testing.T) {
	const producers, threshold = 4, 7
	for round := range 20 + stressEvents()/10_000 {
		s := newStore(t, []int{3, 64}[round%2])
		c := addTo(t, s, "c", ConsumerOptions{Threshold: threshold, MaxLag: 1000})
		var producing, consuming sync.WaitGroup
		for range producers {
			producing.Go(func() {
				for range 20 {
					appendRun(t, s, 1, 4)
					yield(1) // so that it meets the consumer, however short the test
				}
			})
		}
		done := make(chan struct{})
		serve := func() {
			if b, ok := c.Fetch(threshold); ok {
				mustCommit(t, c, b)
			}
		}
		consuming.Go(func() {
			for {
				select {
				case <-c.Due():
					serve()
				case <-done:
					return
				}
			}
		})
		producing.Wait()
		close(done)
		consuming.Wait()
		for receiveNow(c.Due()) {
			serve()
		}
		if got := c.Stats(); got.Waiting >= threshold {
			t.Fatalf("round %d: nobody was told of %+v", round, got)
		}
	}
}
