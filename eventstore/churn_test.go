package eventstore

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// TestStoreConcurrentSafeChurn: consumers come, lag behind a tiny bound, commit, discard, fail, and go with a batch in flight,
// while others append, trim and read the figures.
func TestStoreConcurrentSafeChurn(t *testing.T) {
	const producers, visitors, maxLag = 8, 6, 200
	each := uint64(stressEvents() / 5 / producers)
	s, err := New[numbered](Options{SegmentSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	var producing, visiting sync.WaitGroup
	var done atomic.Bool
	for p := range producers {
		producing.Go(func() {
			for seq := uint64(1); seq <= each; seq++ {
				s.Append(number(p, seq))
			}
		})
	}
	for i := range visitors {
		visiting.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 2))
			for visit := 0; !done.Load() || visit == 0; visit++ {
				if err := stay(s, fmt.Sprint(i), random, maxLag); err != nil {
					t.Errorf("visitor %d: %v", i, err)
					return
				}
			}
		})
	}
	visiting.Go(func() {
		for last := int64(0); !done.Load(); {
			stats := s.Stats()
			for _, c := range stats.Consumers {
				if c.Added != c.Handled+c.Dropped+c.InFlight+c.Waiting || c.Waiting > maxLag {
					t.Errorf("%+v", c)
					return
				}
			}
			if stats.Appended < last || stats.Stored > stats.Appended {
				t.Errorf("%+v, and %d appended before", stats, last)
				return
			}
			last = stats.Appended
			s.Trim()
			yield(3)
		}
	})
	producing.Wait()
	done.Store(true)
	visiting.Wait()
	if stats := s.Stats(); stats.Appended != int64(each*producers) || stats.Segments > 1 || len(stats.Consumers) > 0 {
		t.Errorf("%+v of %d events when all have gone", stats, each*producers)
	}
	audit := newAudit(t, s)
	audit.check()
	audit.cleared()
}

// stay is the life of one consumer.
func stay(s *Store[numbered], name string, random *rand.Rand, maxLag int) error {
	options := func() ConsumerOptions {
		return ConsumerOptions{Threshold: random.IntN(3), MaxLag: 2 + random.IntN(maxLag-1)}
	}
	c, err := s.Consumer(name, options())
	if err != nil {
		return err
	}
	defer c.Close()
	var books ledger
	var handled, passed, at int64
	at = -1
	for range 1 + random.IntN(30) {
		b, ok := c.Fetch(random.IntN(50))
		if !ok {
			yield(1)
			continue
		}
		if b.First() < at {
			return fmt.Errorf("a batch begins at %d, and the one before ended at %d", b.First(), at)
		}
		after, err := books.read(b, b.First() != at)
		if err != nil {
			return err
		}
		last := false
		switch random.IntN(8) {
		case 0: // fails
			yield(2)
			continue
		case 1:
			if err := c.Configure(options()); err != nil {
				return err
			}
		case 2:
			c.Close()
			last = true
		}
		yield(random.IntN(3))
		if again, err := books.read(b, b.First() != at); err != nil || again != after {
			return fmt.Errorf("a batch in flight has changed: %v", err)
		}
		settle := c.Commit
		if random.IntN(4) == 0 {
			settle = c.Discard
		} else {
			handled += int64(b.Len())
		}
		if err := settle(b); err != nil {
			return err
		}
		books, at = after, b.Last()+1
		passed += int64(b.Len())
		if last {
			break
		}
	}
	if b, ok := c.Fetch(0); ok { // goes with it in flight
		c.Close()
		if _, err := books.read(b, true); err != nil {
			return err
		}
		if err := c.Discard(b); err != nil {
			return err
		}
		passed += int64(b.Len())
	}
	c.Close()
	if got := c.Stats(); got.Handled != handled || got.Added != got.Handled+got.Dropped || got.Added < passed {
		return fmt.Errorf("%+v, and %d were handled of %d fetched", got, handled, passed)
	}
	return nil
}
