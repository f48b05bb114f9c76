package eventstore

import (
	"errors"
	"slices"
	"testing"
)

// TestConsumerFrozenBatch: until it is settled, a batch is the same at each fetch, whatever the limit, new events, drops, other
// consumers and the close of either the store or the consumer.
func TestConsumerFrozenBatch(t *testing.T) {
	for _, size := range sizes {
		s := newStore(t, size)
		c := addTo(t, s, "c", ConsumerOptions{MaxLag: 8})
		other := addTo(t, s, "other", ConsumerOptions{})
		appendRun(t, s, 0, 8)
		b := mustFetch(t, c, 5)
		again := func(when string) {
			t.Helper()
			for _, limit := range []int{0, 1, 100} {
				if got, ok := c.Fetch(limit); !ok || got != b {
					t.Fatalf("%s: Fetch(%d) gives %d to %d, %v", when, limit, got.First(), got.Last(), ok)
				}
			}
			wantRun(t, b, 0, 5)
		}
		again("at once")
		appendRun(t, s, 8, 100)
		again("after drops")
		for range 10 {
			mustCommit(t, other, mustFetch(t, other, 10))
			again("after a commit of another consumer")
		}
		s.Close()
		again("after the close of the store")
		c.Close()
		again("after the close of the consumer")
		mustCommit(t, c, b)
		if got, ok := c.Fetch(0); ok || got.Len() != 0 {
			t.Fatalf("a closed consumer has a batch of %d after the commit", got.Len())
		}
		if got, want := c.Stats(), (ConsumerStats{Name: "c", Added: 100, Handled: 5, Dropped: 95}); got != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
	}
}

func TestConsumerCommitOnce(t *testing.T) {
	s := newStore(t, 2)
	c := addTo(t, s, "c", ConsumerOptions{})
	other := addTo(t, s, "other", ConsumerOptions{})
	appendRun(t, s, 0, 9)
	b := mustFetch(t, c, 3)
	if err := other.Commit(b); !errors.Is(err, ErrNotInFlight) {
		t.Fatalf("another consumer commits it: %v", err)
	}
	mustCommit(t, c, b)
	for name, settle := range map[string]func(Batch[int64]) error{"Commit": c.Commit, "Discard": c.Discard} {
		if err := settle(b); !errors.Is(err, ErrNotInFlight) {
			t.Fatalf("%s after Commit: %v", name, err)
		}
	}
	second := mustFetch(t, c, 3)
	wantRun(t, second, 3, 6)
	if err := c.Commit(b); !errors.Is(err, ErrNotInFlight) {
		t.Fatalf("the first batch while the second is in flight: %v", err)
	}
	if err := c.Discard(second); err != nil {
		t.Fatal(err)
	}
	if got, want := c.Stats(), (ConsumerStats{Name: "c", Added: 9, Handled: 3, Dropped: 3, Waiting: 3}); got != want {
		t.Fatalf("%+v, want %+v", got, want)
	}
}

// TestConsumerDrops: only what waits behind the batch in flight is dropped, the oldest first, as much as is counted.
func TestConsumerDrops(t *testing.T) {
	for _, size := range sizes {
		for _, maxLag := range []int{1, 5, 16, 33, 320} {
			for _, held := range []int{0, 1, 4} {
				if held > maxLag {
					continue
				}
				s := newStore(t, size)
				c := addTo(t, s, "c", ConsumerOptions{MaxLag: maxLag})
				healthy := addTo(t, s, "healthy", ConsumerOptions{})
				appendRun(t, s, 0, int64(held))
				var b Batch[int64]
				if held > 0 {
					b = mustFetch(t, c, 0)
				}
				const end = 1000
				for event := int64(held); event < end; event++ {
					appendRun(t, s, event, event+1)
					got := c.Stats()
					if got.InFlight != int64(held) || got.Waiting > int64(maxLag) || got.Added != event+1 {
						t.Fatalf("maxLag=%d, %d in flight: %+v", maxLag, held, got)
					}
					if got.Added != got.InFlight+got.Waiting+got.Dropped {
						t.Fatalf("it does not add up: %+v", got)
					}
					if got.Dropped > 0 && got.Waiting < int64(maxLag-maxLag/dropSteps) {
						t.Fatalf("more was dropped than a step: %+v", got)
					}
				}
				if held > 0 {
					wantRun(t, b, 0, int64(held))
					mustCommit(t, c, b)
				}
				left := c.Stats().Waiting
				wantRun(t, mustFetch(t, c, 0), end-left, end)
				wantRun(t, mustFetch(t, healthy, 0), 0, end)
			}
		}
	}
}

func TestConsumerDue(t *testing.T) {
	s := newStore(t, 4)
	c := addTo(t, s, "c", ConsumerOptions{Threshold: 3, MaxLag: 6})
	idle := addTo(t, s, "idle", ConsumerOptions{})
	event := int64(0)
	for _, step := range []struct {
		what string
		do   func()
		due  bool
	}{
		{"2 of 3", func() { appendRun(t, s, event, event+2); event += 2 }, false},
		{"3 of 3", func() { appendRun(t, s, event, event+1); event++ }, true},
		{"more", func() { appendRun(t, s, event, event+2); event += 2 }, false},
		{"fetch", func() { mustFetch(t, c, 2) }, false},
		{"commit, and 3 are left", func() { mustCommit(t, c, mustFetch(t, c, 0)) }, true},
		{"fetch and commit all", func() { mustCommit(t, c, mustFetch(t, c, 0)) }, false},
		{"2 of 3 again", func() { appendRun(t, s, event, event+2); event += 2 }, false},
		{"a lower threshold", func() { configure(t, c, ConsumerOptions{Threshold: 1, MaxLag: 6}) }, true},
		{"no threshold", func() { configure(t, c, ConsumerOptions{MaxLag: 6}) }, false},
		{"full", func() { appendRun(t, s, event, event+4); event += 4 }, false},
		{"first drop", func() { appendRun(t, s, event, event+1); event++ }, true},
		{"more drops", func() { appendRun(t, s, event, event+20); event += 20 }, false},
		{"commit, which ends the burst", func() { mustCommit(t, c, mustFetch(t, c, 0)) }, false},
		{"full again", func() { appendRun(t, s, event, event+6); event += 6 }, false},
		{"a drop of the next burst", func() { appendRun(t, s, event, event+1); event++ }, true},
		{"in flight, and new ones", func() {
			configure(t, c, ConsumerOptions{Threshold: 2, MaxLag: 100})
			receiveNow(c.Due())
			mustFetch(t, c, 0)
			appendRun(t, s, event, event+5)
			event += 5
		}, false},
		{"discard", func() {
			if err := c.Discard(mustFetch(t, c, 0)); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"closed", func() { c.Close(); appendRun(t, s, event, event+50); configure(t, c, ConsumerOptions{Threshold: 1}) }, false},
	} {
		step.do()
		if got := receiveNow(c.Due()); got != step.due {
			t.Fatalf("%s: due is %v, want %v; %+v", step.what, got, step.due, c.Stats())
		}
	}
	if receiveNow(idle.Due()) {
		t.Fatal("a consumer without a threshold, and without drops, was due")
	}
}

func configure[T any](t testing.TB, c *Consumer[T], o ConsumerOptions) {
	t.Helper()
	if err := c.Configure(o); err != nil {
		t.Fatal(err)
	}
}

// TestConsumerConfigureLag: a lower bound shows at the next Append, a higher one lets more wait.
func TestConsumerConfigureLag(t *testing.T) {
	s := newStore(t, 4)
	c := addTo(t, s, "c", ConsumerOptions{MaxLag: 20})
	appendRun(t, s, 0, 20)
	configure(t, c, ConsumerOptions{MaxLag: 5})
	if got := c.Stats(); got.Dropped != 0 || got.Waiting != 20 {
		t.Fatalf("before the next Append: %+v", got)
	}
	appendRun(t, s, 20, 21)
	if got := c.Stats(); got.Dropped != 16 || got.Waiting != 5 {
		t.Fatalf("after the next Append: %+v", got)
	}
	configure(t, c, ConsumerOptions{MaxLag: 40})
	appendRun(t, s, 21, 56)
	if got := c.Stats(); got.Dropped != 16 || got.Waiting != 40 {
		t.Fatalf("with more room: %+v", got)
	}
	wantRun(t, mustFetch(t, c, 0), 16, 56)
}

// TestConsumerLate: it starts at the end of the log, at every place in a segment.
func TestConsumerLate(t *testing.T) {
	for _, size := range sizes {
		for before := int64(0); before < 9; before++ {
			s := newStore(t, size)
			early := addTo(t, s, "early", ConsumerOptions{})
			appendRun(t, s, 0, before)
			late := addTo(t, s, "late", ConsumerOptions{})
			if _, ok := late.Fetch(0); ok {
				t.Fatal("it has events from before")
			}
			appendRun(t, s, before, before+9)
			b := mustFetch(t, late, 0)
			wantRun(t, b, before, before+9)
			mustCommit(t, late, b)
			if got, want := late.Stats(), (ConsumerStats{Name: "late", Added: 9, Handled: 9}); got != want {
				t.Fatalf("%+v, want %+v", got, want)
			}
			wantRun(t, mustFetch(t, early, 0), 0, before+9)
		}
	}
}

// TestConsumerClose: what it alone needed is freed, what others need stays, its name can be used again, and its figures stay.
func TestConsumerClose(t *testing.T) {
	for _, size := range sizes {
		s := newStore(t, size)
		audit := newAudit(t, s)
		dead := addTo(t, s, "dead", ConsumerOptions{})
		other := addTo(t, s, "other", ConsumerOptions{})
		appendRun(t, s, 0, 50)
		mustCommit(t, other, mustFetch(t, other, 40))
		b := mustFetch(t, dead, 7)
		dead.Close()
		dead.Close()
		audit.check()
		if got, want := dead.Stats(), (ConsumerStats{Name: "dead", Added: 50, Dropped: 43, InFlight: 7}); got != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
		again := addTo(t, s, "dead", ConsumerOptions{})
		appendRun(t, s, 50, 60)
		wantRun(t, b, 0, 7)
		wantRun(t, mustFetch(t, other, 0), 40, 60)
		wantRun(t, mustFetch(t, again, 0), 50, 60)
		if err := dead.Discard(b); err != nil {
			t.Fatal(err)
		}
		audit.check()
		audit.cleared()
		if got, want := dead.Stats(), (ConsumerStats{Name: "dead", Added: 50, Dropped: 50}); got != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
		names := []string{}
		for _, c := range s.Stats().Consumers {
			names = append(names, c.Name)
		}
		if want := []string{"other", "dead"}; !slices.Equal(names, want) {
			t.Fatalf("consumers %v, want %v", names, want)
		}
	}
}
