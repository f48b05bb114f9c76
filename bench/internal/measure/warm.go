package measure

import (
	"os"
	"runtime"
	"sync"
)

const (
	// warmed is what the benchmarks that fill queues have in use at once, and the garbage of a cycle of the collector.
	warmed = 192 << 20
	// ballastSize keeps the collector from running all the time while the heap is small: an active one doubles the cost of
	// storing a pointer.
	ballastSize = 64 << 20
)

var (
	warmOnce sync.Once
	ballast  []byte // never touched, so that it takes no memory
)

// Warm touches the pages of the heap, once a process, so that they are mapped before the clock runs.
func Warm() {
	warmOnce.Do(func() {
		ballast = make([]byte, ballastSize)
		const block = 64 << 10
		blocks := make([][]byte, warmed/block)
		for i := range blocks {
			blocks[i] = make([]byte, block)
			for at := 0; at < block; at += os.Getpagesize() {
				blocks[i][at] = 1
			}
		}
		runtime.KeepAlive(blocks)
		blocks = nil
		runtime.GC()
	})
	runtime.KeepAlive(ballast)
}
