package store

import (
	"fmt"
	"runtime"
	"testing"
	"unsafe"

	"github.com/offlock/offlock/eventstore"
)

// BenchmarkMemory reports what an event that is stored takes of the heap beyond its own size.
func BenchmarkMemory(b *testing.B) {
	for _, stored := range []int{10_000, 1_000_000} {
		b.Run(fmt.Sprintf("stored=%d", stored), func(b *testing.B) {
			var beyond float64
			for b.Loop() {
				before := heap()
				s, err := eventstore.New[Event](eventstore.Options{})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := s.Consumer("late", eventstore.ConsumerOptions{MaxLag: stored}); err != nil {
					b.Fatal(err)
				}
				for range stored {
					s.Append(Event{Kind: "feature"})
				}
				beyond = float64(heap()-before)/float64(stored) - float64(unsafe.Sizeof(Event{}))
				if s.Stats().Stored != int64(stored) {
					b.Fatal(s.Stats())
				}
			}
			b.ReportMetric(beyond, "B/event")
		})
	}
}

// heap is what the heap holds after a collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
