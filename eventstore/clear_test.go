package eventstore

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
)

// tracked makes events that count themselves when they were collected.
type tracked struct {
	store *Store[*[64]byte]
	made  int64
	gone  atomic.Int64
}

func newTracked(t *testing.T, size int) *tracked {
	t.Helper()
	s, err := New[*[64]byte](Options{SegmentSize: size})
	if err != nil {
		t.Fatal(err)
	}
	return &tracked{store: s}
}

func (k *tracked) append(n int) {
	for range n {
		event := new([64]byte)
		runtime.AddCleanup(event, func(gone *atomic.Int64) { gone.Add(1) }, &k.gone)
		k.store.Append(event)
		k.made++
	}
}

// wantLeft collects garbage until no more than so many events are left. Cleanups run in a goroutine of the runtime, so a
// collection is followed by a few turns of the scheduler.
func (k *tracked) wantLeft(t *testing.T, what string, left int64) {
	t.Helper()
	for range 50 {
		runtime.GC()
		for range 100 {
			runtime.Gosched()
		}
		if k.made-k.gone.Load() <= left {
			break
		}
	}
	if got := k.made - k.gone.Load(); got != left {
		t.Fatalf("%s: %d of %d events are still reachable, want %d", what, got, k.made, left)
	}
	runtime.KeepAlive(k.store)
}

// TestClearAfterCommit: what the last consumer commits is collected, wherever in a segment the commit ends.
func TestClearAfterCommit(t *testing.T) {
	for _, size := range []int{1, 3, 8, 64} {
		for _, batch := range []int{1, 7, 8, 9, 24} {
			t.Run(fmt.Sprintf("size=%d/batch=%d", size, batch), func(t *testing.T) {
				k := newTracked(t, size)
				fast := addTo(t, k.store, "fast", ConsumerOptions{})
				slow := addTo(t, k.store, "slow", ConsumerOptions{})
				k.append(50)
				mustCommit(t, fast, mustFetch(t, fast, 0))
				k.wantLeft(t, "one has not begun", 50)
				left := int64(50)
				for range 2 {
					b := mustFetch(t, slow, batch)
					mustCommit(t, slow, b)
					left -= int64(b.Len())
				}
				k.wantLeft(t, "after two commits", left)
				mustCommit(t, slow, mustFetch(t, slow, 0))
				k.wantLeft(t, "after the last commit", 0)
			})
		}
	}
}

// TestClearAfterClose: what only closed consumers had not committed is collected, and so is what they drop.
func TestClearAfterClose(t *testing.T) {
	for _, size := range []int{1, 3, 8, 64} {
		k := newTracked(t, size)
		dead := addTo(t, k.store, "dead", ConsumerOptions{})
		fast := addTo(t, k.store, "fast", ConsumerOptions{})
		k.append(50)
		mustCommit(t, fast, mustFetch(t, fast, 43))
		dead.Close()
		k.wantLeft(t, "of another consumer", 7)
		fast.Close()
		k.wantLeft(t, "with no consumer", 0)
		late := addTo(t, k.store, "late", ConsumerOptions{MaxLag: 10})
		k.append(100)
		if err := late.Discard(mustFetch(t, late, 3)); err != nil {
			t.Fatal(err)
		}
		left := late.Stats().Waiting
		k.wantLeft(t, "after drops and a discard", left)
		late.Close()
		k.wantLeft(t, "after the last close", 0)
	}
}

// TestClearWithHungBatch: a batch that is never given back keeps the segments that it is in, and nothing before or after them.
func TestClearWithHungBatch(t *testing.T) {
	const size = 8
	for _, before := range []int{0, 5, 8, 16} {
		for _, inFlight := range []int{1, 3, 8, 20} {
			for _, closed := range []bool{false, true} { // when the others commit what was before
				t.Run(fmt.Sprintf("before=%d/inFlight=%d/closed=%v", before, inFlight, closed), func(t *testing.T) {
					k := newTracked(t, size)
					hung := addTo(t, k.store, "hung", ConsumerOptions{})
					fast := addTo(t, k.store, "fast", ConsumerOptions{})
					all := func() { mustCommit(t, fast, mustFetch(t, fast, 0)) }
					k.append(before)
					if before > 0 {
						mustCommit(t, hung, mustFetch(t, hung, 0))
					}
					k.append(inFlight)
					b := mustFetch(t, hung, 0)
					k.append(33)
					kept := (before+inFlight+size-1)/size*size - before
					if closed {
						hung.Close()
						all()
						kept += before % size
					} else {
						all()
						hung.Close()
					}
					k.append(500)
					all()
					k.wantLeft(t, "with the batch in flight", int64(kept))
					if got := b.AppendTo(nil); len(got) != inFlight || got[0] == nil || got[inFlight-1] == nil {
						t.Fatalf("the batch is not what it was: %v", got)
					}
					if err := hung.Discard(b); err != nil {
						t.Fatal(err)
					}
					k.wantLeft(t, "after the discard", 0)
				})
			}
		}
	}
}

// TestClearOfTwoAsSlow: one that stands at the end of a segment and one that has begun the next are at the same event; the
// segment is cleared nevertheless.
func TestClearOfTwoAsSlow(t *testing.T) {
	k := newTracked(t, 4)
	next := addTo(t, k.store, "next", ConsumerOptions{})
	end := addTo(t, k.store, "end", ConsumerOptions{})
	last := addTo(t, k.store, "last", ConsumerOptions{})
	k.append(4)
	mustCommit(t, next, mustFetch(t, next, 0))
	mustCommit(t, end, mustFetch(t, end, 0))
	k.append(1)
	b := mustFetch(t, next, 0)
	mustCommit(t, last, mustFetch(t, last, 0))
	k.wantLeft(t, "with one event that two still need", 1)
	mustCommit(t, next, b)
	mustCommit(t, end, mustFetch(t, end, 0))
	k.wantLeft(t, "after the last commit", 0)
}

// TestClearHeaders: a batch that is never given back, and one that somebody still has after its commit, do not keep the headers
// of all that came later.
func TestClearHeaders(t *testing.T) {
	for _, settled := range []bool{false, true} {
		s := newStore(t, 2)
		hung := addTo(t, s, "hung", ConsumerOptions{MaxLag: 4})
		fast := addTo(t, s, "fast", ConsumerOptions{})
		appendRun(t, s, 0, 3)
		b := mustFetch(t, hung, 0)
		var made, gone atomic.Int64
		for event := range int64(2000) {
			appendRun(t, s, event, event+1)
			mustCommit(t, fast, mustFetch(t, fast, 0))
			if s.n == 1 { // a new tail
				made.Add(1)
				runtime.AddCleanup(s.tail, func(gone *atomic.Int64) { gone.Add(1) }, &gone)
			}
			if settled && event == 0 {
				mustCommit(t, hung, b)
			}
		}
		for range 50 {
			runtime.GC()
			for range 100 {
				runtime.Gosched()
			}
			if made.Load()-gone.Load() <= 10 {
				break
			}
		}
		// The bound of hung is four events: three segments, the one of the batch's end, and the tail.
		if left := made.Load() - gone.Load(); made.Load() < 900 || left > 10 {
			t.Errorf("settled %v: %d of %d headers are still reachable", settled, left, made.Load())
		}
		runtime.KeepAlive(s)
		runtime.KeepAlive(b)
	}
}
