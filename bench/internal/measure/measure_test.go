package measure

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEventSize(t *testing.T) {
	if size := unsafe.Sizeof(NewEvent()); size != 152 {
		t.Errorf("an event has %d bytes; the figures are for 152", size)
	}
}

// counting is a queue that notes what Fill does to it, and the clock that it is measured by.
type counting struct {
	keep    int // every how-manieth event comes out
	running bool
	events  atomic.Int64
	most    int // events that were in it at once
	total   int
	offTime bool // something was added while the clock stood still, or taken out while it ran
}

func (q *counting) StartTimer() { q.running = true }
func (q *counting) StopTimer()  { q.running = false }

func (q *counting) queue() Queue {
	var mu sync.Mutex // guards offTime while many add
	return Queue{
		Add: func(_ Event, n int) {
			q.events.Add(int64(n))
			mu.Lock()
			defer mu.Unlock()
			q.offTime = q.offTime || !q.running
		},
		Drain: func() int {
			n := int(q.events.Swap(0))
			q.most, q.total, q.offTime = max(q.most, n), q.total+n, q.offTime || q.running
			return n / q.keep
		},
	}
}

// Fill adds exactly as many events as it is told, while the clock runs, and never more than a chunk at once.
func TestFill(t *testing.T) {
	for _, test := range []struct {
		name                       string
		goroutines, n, keep, leave int
	}{
		{"one goroutine", 1, 3*Chunk + 7, 1, 3*Chunk + 7},
		{"several goroutines", 7, 2*Chunk + 3, 1, 2*Chunk + 3},
		{"more goroutines than events", 64, 5, 1, 5},
		{"half is dropped", 2, 2 * Chunk, 2, Chunk},
	} {
		t.Run(test.name, func(t *testing.T) {
			q := &counting{keep: test.keep}
			if got := fill(q, test.goroutines, test.n, q.queue()); got != test.leave {
				t.Errorf("%d events came out, want %d", got, test.leave)
			}
			if q.total != test.n || q.most > Chunk || q.offTime || q.running {
				t.Errorf("%d events of %d, %d at once, beside the clock: %t, clock runs: %t", q.total, test.n, q.most, q.offTime, q.running)
			}
		})
	}
}

// A call that takes several turns counts for all of them.
func TestRecordMissed(t *testing.T) {
	l := NewLatencies()
	for range 95 {
		if missed, err := l.record(time.Microsecond, time.Millisecond); missed != 0 || err != nil {
			t.Fatalf("%d missed, %v", missed, err)
		}
	}
	missed, err := l.record(5*time.Millisecond+time.Microsecond, time.Millisecond)
	if missed != 5 || err != nil {
		t.Errorf("%d missed, %v; want 5", missed, err)
	}
	if l.added != 96 || l.missed != 5 || l.histogram.TotalCount() != 96+4 {
		t.Errorf("%d added, %d missed, %d recorded", l.added, l.missed, l.histogram.TotalCount())
	}
	for quantile, atLeast := range map[float64]time.Duration{96: time.Millisecond, 98: 3 * time.Millisecond, 100: 5 * time.Millisecond} {
		if got := time.Duration(l.histogram.ValueAtQuantile(quantile)); got < atLeast {
			t.Errorf("quantile %v is %v, want at least %v", quantile, got, atLeast)
		}
	}
	if _, err := l.record(time.Hour, time.Minute); err != nil {
		t.Errorf("a call of an hour: %v", err)
	}
}

// Every call is recorded, those that wait too, and none is made after Stop.
func TestOffer(t *testing.T) {
	const n = 4
	var calls atomic.Int64
	waiting, release := make(chan struct{}), make(chan struct{})
	producers := Offer(n, 100_000, func(Event) {
		if calls.Add(1) == 1 {
			close(waiting)
			<-release
		}
	})
	<-waiting
	for calls.Load() < 1000 {
		time.Sleep(time.Millisecond) // the others go on; the test's deadline bounds it
	}
	close(release)
	latencies, err := producers.Stop()
	if err != nil {
		t.Fatal(err)
	}
	if after := calls.Load(); int64(latencies.Added()) != after {
		t.Errorf("%d calls, %d of them recorded", after, latencies.Added())
	}
	if latencies.missed == 0 {
		t.Error("the producer that had to wait missed no call")
	}
}
