package eventstore

import "testing"

// audit walks the whole memory of a store that nothing else uses, and reports what breaks the rules that the
// comments of segment, Consumer and Store state.
type audit[T comparable] struct {
	t     *testing.T
	store *Store[T]
	// want counts, for each segment of the log, who needs it.
	want map[*segment[T]]int32
	// seen are the headers of this audit and of those before it.
	seen map[*segment[T]]bool
}

func newAudit[T comparable](t *testing.T, s *Store[T]) *audit[T] {
	return &audit[T]{t: t, store: s, seen: map[*segment[T]]bool{}}
}

// check may be called after any call of a method has returned.
func (a *audit[T]) check() {
	a.t.Helper()
	var none T
	s := a.store
	a.want = map[*segment[T]]int32{s.tail: 1}
	for _, c := range s.consumers {
		if c.next < c.seg.base || c.next > c.seg.end { // it may stand at the end of what was the tail
			a.t.Fatalf("consumer %s is at %d, and its segment is [%d, %d)", c.name, c.next, c.seg.base, c.seg.end)
		}
		for g := c.seg; g != nil; g = g.next.Load() {
			a.want[g]++
		}
		a.batch(c.batch, c.seg)
	}
	for _, c := range s.parked {
		a.batch(c.batch, nil)
	}
	live := 0
	for g, want := range a.want {
		a.seen[g] = true
		if got := g.refs.Load(); got != want {
			a.t.Fatalf("segment [%d, %d) has %d references, want %d", g.base, g.end, got, want)
		}
		if g.end > g.base { // not the first header
			live++
			if int64(len(g.items)) != g.end-g.base {
				a.t.Fatalf("segment [%d, %d) has an array of %d", g.base, g.end, len(g.items))
			}
		}
	}
	if live != s.live {
		a.t.Fatalf("%d segments are in the log, and %d are counted", live, s.live)
	}
	a.free()
	for g := range a.seen {
		if a.want[g] == 0 && g.end > g.base && (g.items != nil || g.next.Load() != nil || g.dead != nil) {
			a.t.Fatalf("the header of [%d, %d) is used up, and still leads somewhere", g.base, g.end)
		}
	}
	if s.n < s.limit && s.limit > len(s.items) {
		a.t.Fatalf("the limit %d is past the array of %d", s.limit, len(s.items))
	}
	for i, event := range s.items[s.n:] {
		if event != none {
			a.t.Fatalf("index %d of the tail is above the end %d and is not empty", s.n+i, s.n)
		}
	}
}

func (a *audit[T]) batch(b Batch[T], shared *segment[T]) {
	a.t.Helper()
	if b.Len() == 0 {
		return
	}
	if b.first < b.seg.base || b.first >= b.seg.end {
		a.t.Fatalf("a batch begins at %d, and its segment is [%d, %d)", b.first, b.seg.base, b.seg.end)
	}
	for g := b.seg; g != shared && g.base < b.end; g = g.next.Load() {
		a.want[g]++
	}
}

// free checks that the free arrays are as many as counted, empty, and not in the log.
func (a *audit[T]) free() {
	a.t.Helper()
	var none T
	count := 0
	for g := a.store.free.top; g != nil; g = g.next.Load() {
		count++
		if count > a.store.free.count {
			break
		}
		if a.want[g] != 0 {
			a.t.Fatalf("segment [%d, %d) is in the log and free", g.base, g.end)
		}
		for i, event := range g.items {
			if event != none {
				a.t.Fatalf("index %d of a free array holds %v", i, event)
			}
		}
	}
	if count != a.store.free.count || a.store.free.low > count {
		a.t.Fatalf("%d arrays are free, counted as %d (lowest %d)", count, a.store.free.count, a.store.free.low)
	}
}

// cleared checks that nothing below the slowest consumer is left. It holds after a commit, a discard and the close of a
// consumer; a drop in the middle of a segment shows at the next of those. A batch in flight of a closed consumer keeps its
// segments as they are.
func (a *audit[T]) cleared() {
	a.t.Helper()
	var none T
	slowest := a.store.endLocked()
	for _, c := range a.store.consumers {
		slowest = min(slowest, c.oldestLocked())
	}
	for g := range a.want {
		parked := false
		for _, c := range a.store.parked {
			parked = parked || c.batch.first < g.end && c.batch.end > g.base
		}
		for i, event := range g.items {
			if at := g.base + int64(i); !parked && at < slowest && event != none {
				a.t.Fatalf("event %v of offset %d is still there, and all consumers are at %d or behind", event, at, slowest)
			}
		}
	}
}
