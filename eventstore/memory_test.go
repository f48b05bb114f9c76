package eventstore

import (
	"fmt"
	"runtime"
	"testing"
)

// mostSegments is the bound that the docs state for one consumer: its MaxLag and its batch in flight, each in whole segments
// at both ends, and one that is being filled.
func mostSegments(size, maxLag, inFlight int) int {
	whole := func(events int) int { return (events+size-1)/size + 1 }
	segments := whole(maxLag+1) + 1
	if inFlight > 0 {
		segments += whole(inFlight)
	}
	return segments
}

// TestMemoryDeadConsumer: however much is appended, a consumer that never commits keeps its bound, and no more.
func TestMemoryDeadConsumer(t *testing.T) {
	for _, tt := range []struct{ size, maxLag, inFlight int }{
		{1, 1, 0}, {1, 5, 3}, {4, 10, 0}, {4, 10, 6}, {16, 1000, 500}, {64, 64, 64}, {0, 5000, 0}, {0, 5000, 5000},
	} {
		t.Run(fmt.Sprintf("size=%d/maxLag=%d/inFlight=%d", tt.size, tt.maxLag, tt.inFlight), func(t *testing.T) {
			s := newStore(t, tt.size)
			dead := addTo(t, s, "dead", ConsumerOptions{MaxLag: tt.maxLag})
			healthy := addTo(t, s, "healthy", ConsumerOptions{MaxLag: tt.maxLag})
			appendRun(t, s, 0, int64(tt.inFlight))
			if tt.inFlight > 0 {
				mustFetch(t, dead, 0)
			}
			bound := mostSegments(s.segmentSize, tt.maxLag, tt.inFlight)
			boundBytes := int64(bound*s.segmentSize) * 8
			most := 0
			for event := tt.inFlight; event < tt.inFlight+40*(tt.maxLag+s.segmentSize); event++ {
				appendRun(t, s, int64(event), int64(event+1))
				if event%7 == 0 {
					mustCommit(t, healthy, mustFetch(t, healthy, 0))
				}
				got := s.Stats()
				most = max(most, got.Segments+got.FreeSegments)
				if got.Bytes > boundBytes {
					t.Fatalf("%d segments after %d events, at most %d are allowed", got.Segments+got.FreeSegments, event, bound)
				}
			}
			if least := tt.maxLag / s.segmentSize; most < least {
				t.Fatalf("never more than %d segments, and the bound needs %d: the test does not fill it", most, least)
			}
		})
	}
}

// TestMemoryHeapOfDeadConsumer is the same seen by the runtime, with events that refer to memory of their own.
func TestMemoryHeapOfDeadConsumer(t *testing.T) {
	const size, maxLag, inFlight, payload = 64, 2000, 1000, 1024
	s, err := New[[]byte](Options{SegmentSize: size})
	if err != nil {
		t.Fatal(err)
	}
	dead := addTo(t, s, "dead", ConsumerOptions{MaxLag: maxLag})
	before := heap()
	for range inFlight {
		s.Append(make([]byte, payload))
	}
	b := mustFetch(t, dead, 0)
	bound := uint64(mostSegments(size, maxLag, inFlight)*size) * (payload + 24)
	bound += bound / 10 // headers, and what the runtime itself does meanwhile
	for round := range 20 {
		for range 2 * maxLag {
			s.Append(make([]byte, payload))
		}
		if now := heap(); now > before+bound {
			t.Fatalf("round %d: the heap grew by %d bytes, at most %d are allowed", round, now-before, bound)
		}
	}
	if got := dead.Stats(); got.Dropped < 18*2*maxLag || b.Len() != inFlight {
		t.Fatalf("the test did not fill the bound: %+v", got)
	}
	runtime.KeepAlive(s)
}

// heap is how many bytes are reachable.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestMemoryAppendAllocatesNothing: in the steady state a segment is there when one is full.
func TestMemoryAppendAllocatesNothing(t *testing.T) {
	for _, size := range sizes {
		s := newStore(t, size)
		c := addTo(t, s, "c", ConsumerOptions{Threshold: 64, MaxLag: 10_000})
		addTo(t, s, "closed", ConsumerOptions{}).Close()
		const run = 500
		appendRun(t, s, 0, 3*run)
		mustCommit(t, c, mustFetch(t, c, 0))
		if got := testing.AllocsPerRun(1, func() { appendRun(t, s, 0, run) }); got != 0 {
			t.Errorf("segments of %d: %v allocations in %d appends, the first of which ring", s.segmentSize, got, run)
		}
	}
}

// TestMemoryTakenOnce: what is appended and committed again and again takes no more arrays than the first time.
func TestMemoryTakenOnce(t *testing.T) {
	for _, size := range sizes {
		s := newStore(t, size)
		fast, slow := addTo(t, s, "fast", ConsumerOptions{}), addTo(t, s, "slow", ConsumerOptions{})
		var first int64
		for round := range 50 {
			appendRun(t, s, 0, 1000)
			mustCommit(t, fast, mustFetch(t, fast, 0))
			mustCommit(t, slow, mustFetch(t, slow, 0))
			got := s.Stats().Bytes
			if round == 0 {
				first = got
			}
			if got > first+int64(s.segmentSize)*8 { // the first round began with a segment, later ones begin within one
				t.Fatalf("segments of %d: %d bytes in round %d, %d in the first", s.segmentSize, got, round, first)
			}
		}
	}
}

// TestMemoryTrim: arrays that were not needed since the last call are given back by halves, those that were needed stay.
func TestMemoryTrim(t *testing.T) {
	s := newStore(t, 4)
	c := addTo(t, s, "c", ConsumerOptions{})
	settle := func() { mustCommit(t, c, mustFetch(t, c, 0)) }
	appendRun(t, s, 0, 4000)
	settle()
	s.Trim() // sets the mark
	free := s.Stats().FreeSegments
	if free < 990 {
		t.Fatalf("%d free segments after 1000 full ones", free)
	}
	for want := free / 2; want > 1; want /= 2 {
		s.Trim()
		if got := s.Stats().FreeSegments; got < want-1 || got > want+1 {
			t.Fatalf("%d free segments, want about %d", got, want)
		}
	}
	s.Trim()
	s.Trim()
	if got := s.Stats().FreeSegments; got != 0 {
		t.Fatalf("%d free segments are never given back", got)
	}
	newAudit(t, s).check()

	for range 10 { // a steady need of 25 segments
		appendRun(t, s, 0, 100)
		settle()
		s.Trim()
	}
	if got := s.Stats().FreeSegments; got < 24 {
		t.Fatalf("%d free segments are left of the 25 that are used in each interval", got)
	}
}
