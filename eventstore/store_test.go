package eventstore

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// sizes are the segment sizes that the table tests run with: every edge at once, some, and the default.
var sizes = []int{1, 2, 3, 7, 0}

func newStore(t testing.TB, size int) *Store[int64] {
	t.Helper()
	s, err := New[int64](Options{SegmentSize: size})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func addTo[T any](t testing.TB, s *Store[T], name string, o ConsumerOptions) *Consumer[T] {
	t.Helper()
	c, err := s.Consumer(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// appendRun appends the events from to to-1, each its own number.
func appendRun(t testing.TB, s *Store[int64], from, to int64) {
	t.Helper()
	for event := from; event < to; event++ {
		if !s.Append(event) {
			t.Fatalf("event %d was refused", event)
		}
	}
}

func mustFetch[T any](t testing.TB, c *Consumer[T], limit int) Batch[T] {
	t.Helper()
	b, ok := c.Fetch(limit)
	if !ok {
		t.Fatalf("consumer %s has nothing to fetch: %+v", c.Name(), c.Stats())
	}
	return b
}

func mustCommit[T any](t testing.TB, c *Consumer[T], b Batch[T]) {
	t.Helper()
	if err := c.Commit(b); err != nil {
		t.Fatal(err)
	}
}

// wantRun checks that a batch holds the offsets and events from to to-1.
func wantRun(t testing.TB, b Batch[int64], from, to int64) {
	t.Helper()
	var want []int64
	for event := from; event < to; event++ {
		want = append(want, event)
	}
	if got := slices.Collect(b.All()); !slices.Equal(got, want) {
		t.Fatalf("the batch holds %v, want %v", got, want)
	}
	if b.First() != from || b.Last() != to-1 || b.Len() != len(want) {
		t.Fatalf("the batch says %d to %d, %d events; want %d to %d", b.First(), b.Last(), b.Len(), from, to-1)
	}
}

// TestStoreOrder fetches in batches of different sizes what was appended in runs of different sizes.
func TestStoreOrder(t *testing.T) {
	for _, size := range sizes {
		for _, limit := range []int{0, 1, 2, 5, 1000, math.MaxInt} {
			t.Run(fmt.Sprintf("size=%d/limit=%d", size, limit), func(t *testing.T) {
				s := newStore(t, size)
				c := addTo(t, s, "c", ConsumerOptions{})
				var appended, fetched int64
				for run := int64(0); run < 30; run++ {
					appendRun(t, s, appended, appended+run)
					appended += run
					if b, ok := c.Fetch(limit); ok {
						wantRun(t, b, fetched, b.Last()+1)
						if waiting := appended - fetched; limit > 0 && b.Len() > limit || limit == 0 && int64(b.Len()) != waiting {
							t.Fatalf("a batch of %d of %d waiting events", b.Len(), waiting)
						}
						fetched = b.Last() + 1
						mustCommit(t, c, b)
					}
				}
				for b, ok := c.Fetch(limit); ok; b, ok = c.Fetch(limit) {
					wantRun(t, b, fetched, b.Last()+1)
					fetched = b.Last() + 1
					mustCommit(t, c, b)
				}
				want := ConsumerStats{Name: "c", Added: appended, Handled: appended}
				if got := c.Stats(); fetched != appended || got != want {
					t.Fatalf("%d of %d events, %+v", fetched, appended, got)
				}
			})
		}
	}
}

func TestStoreRefusesBadOptions(t *testing.T) {
	if _, err := New[int64](Options{SegmentSize: -1}); err == nil || !strings.Contains(err.Error(), "-1") {
		t.Errorf("SegmentSize -1: %v", err)
	}
	if _, err := New[int64](Options{SegmentSize: math.MaxInt}); err == nil || !strings.Contains(err.Error(), "events of 8 bytes; use at most 268435455") {
		t.Errorf("the largest SegmentSize: %v", err)
	}
	if _, err := New[struct{}](Options{SegmentSize: math.MaxInt}); err == nil {
		t.Error("the largest SegmentSize of events of no size is no error")
	}
	s := newStore(t, 0)
	kept := addTo(t, s, "kept", ConsumerOptions{Threshold: 2, MaxLag: 3})
	for _, o := range []ConsumerOptions{
		{Threshold: -1}, {MaxLag: -1}, {Threshold: 5, MaxLag: 4}, {Threshold: -3, MaxLag: 7},
	} {
		if _, err := s.Consumer("bad", o); err == nil {
			t.Errorf("Consumer takes %+v", o)
		}
		if err := kept.Configure(o); err == nil {
			t.Errorf("Configure takes %+v", o)
		}
	}
	if _, err := s.Consumer("kept", ConsumerOptions{}); !errors.Is(err, ErrDuplicate) {
		t.Errorf("a second consumer of one name: %v", err)
	}
	if n := len(s.Stats().Consumers); n != 1 {
		t.Errorf("%d consumers after refusals, want 1", n)
	}
	appendRun(t, s, 0, 4)
	if got := kept.Stats(); got.Dropped != 1 {
		t.Errorf("refused options changed the consumer: %+v", got)
	}
}

func TestConsumerDefaults(t *testing.T) {
	for _, tt := range []struct{ given, want ConsumerOptions }{
		{ConsumerOptions{}, ConsumerOptions{MaxLag: DefaultMaxLag}},
		{ConsumerOptions{Threshold: 100}, ConsumerOptions{Threshold: 100, MaxLag: 1000}},
		{ConsumerOptions{Threshold: 100, MaxLag: 100}, ConsumerOptions{Threshold: 100, MaxLag: 100}},
		{ConsumerOptions{MaxLag: 1}, ConsumerOptions{MaxLag: 1}},
	} {
		if got, err := tt.given.complete(); err != nil || got != tt.want {
			t.Errorf("%+v becomes %+v, %v; want %+v", tt.given, got, err, tt.want)
		}
	}
}

// TestStoreHugeOptions: a bound that stands for none drops nothing, is never due, and keeps Append on its short way.
func TestStoreHugeOptions(t *testing.T) {
	s := newStore(t, 4)
	for i, o := range []ConsumerOptions{{MaxLag: math.MaxInt}, {Threshold: math.MaxInt, MaxLag: math.MaxInt}, {Threshold: math.MaxInt}} {
		c := addTo(t, s, fmt.Sprint(i), o)
		appendRun(t, s, 0, 10)
		if got := c.Stats(); got.Waiting != 10 || receiveNow(c.Due()) {
			t.Errorf("%+v: %+v", o, got)
		}
		if s.limit != len(s.items) {
			t.Errorf("%+v: the limit is %d of %d", o, s.limit, len(s.items))
		}
	}
}

func TestStoreClose(t *testing.T) {
	for _, size := range sizes {
		s := newStore(t, size)
		c := addTo(t, s, "c", ConsumerOptions{})
		appendRun(t, s, 0, 10)
		s.Close()
		s.Close()
		if s.Append(10) {
			t.Fatal("an event was taken after Close")
		}
		late := addTo(t, s, "late", ConsumerOptions{})
		if _, ok := late.Fetch(0); ok {
			t.Fatal("a consumer that came late has events")
		}
		wantRun(t, mustFetch(t, c, 6), 0, 6)
		mustCommit(t, c, mustFetch(t, c, 0))
		wantRun(t, mustFetch(t, c, 0), 6, 10)
		if s.Append(11) {
			t.Fatal("an event was taken after Close and a fetch")
		}
		if got := s.Stats(); got.Appended != 10 || got.Rejected != 2 {
			t.Fatalf("%+v", got)
		}
	}
}

// A nil pointer is a mistake of one caller, who may recover from the panic: the others must not wait for ever because of it.
func TestStoreAppendFromNil(t *testing.T) {
	s := newStore(t, 0)
	c := addTo(t, s, "c", ConsumerOptions{})
	for range 2 { // with a new segment and without one
		func() {
			defer func() {
				if recover() == nil {
					t.Error("AppendFrom takes a nil pointer")
				}
			}()
			s.AppendFrom(nil)
		}()
		if !s.mu.TryLock() {
			t.Fatal("the mutex is still held")
		}
		s.mu.Unlock()
		s.Append(7)
	}
	if got, want := c.Stats(), (ConsumerStats{Name: "c", Added: 2, Waiting: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestStoreWithoutConsumers: what nobody asked for is counted and takes no memory, before the first consumer and after the last.
func TestStoreWithoutConsumers(t *testing.T) {
	s := newStore(t, 3)
	appendRun(t, s, 100, 150)
	if got := s.Stats(); got.Appended != 50 || got.Bytes != 0 || got.Stored != 0 {
		t.Fatalf("%+v", got)
	}
	c := addTo(t, s, "c", ConsumerOptions{})
	appendRun(t, s, 0, 4)
	b := mustFetch(t, c, 0)
	wantRun(t, b, 0, 4)
	mustCommit(t, c, b)
	c.Close()
	before := s.Stats().Bytes
	appendRun(t, s, 150, 200)
	if got := s.Stats(); got.Appended != 104 || got.Bytes != before || got.Stored != 0 {
		t.Fatalf("%+v, and %d bytes before", got, before)
	}
}

func TestBatchZero(t *testing.T) {
	var b Batch[int64]
	if b.Len() != 0 || b.AppendTo(nil) != nil || slices.Collect(b.All()) != nil {
		t.Fatalf("the zero batch is not empty: %+v", b)
	}
	c := addTo(t, newStore(t, 2), "c", ConsumerOptions{})
	if err := c.Commit(b); !errors.Is(err, ErrNotInFlight) {
		t.Fatalf("Commit of the zero batch: %v", err)
	}
}

// TestBatchSegments: the slices are the store's own, in order, cannot be appended to in place, and a reader may stop early.
func TestBatchSegments(t *testing.T) {
	s := newStore(t, 4)
	c := addTo(t, s, "c", ConsumerOptions{})
	appendRun(t, s, 0, 3)
	mustCommit(t, c, mustFetch(t, c, 0))
	appendRun(t, s, 3, 14)
	b := mustFetch(t, c, 10)
	var lengths []int
	for events := range b.Segments() {
		lengths = append(lengths, len(events))
		if cap(events) != len(events) {
			t.Errorf("a slice of %d events has room for %d", len(events), cap(events))
		}
	}
	if want := []int{1, 4, 4, 1}; !slices.Equal(lengths, want) {
		t.Errorf("slices of %v events, want %v", lengths, want)
	}
	for stop := int64(3); stop < 13; stop++ {
		last := int64(-1)
		for last = range b.All() {
			if last == stop {
				break
			}
		}
		if last != stop {
			t.Errorf("stopped at %d, want %d", last, stop)
		}
	}
	if got := b.AppendTo([]int64{1, 2})[:3]; !slices.Equal(got, []int64{1, 2, 3}) {
		t.Errorf("AppendTo begins with %v", got)
	}
}
