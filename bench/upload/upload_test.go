package upload

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// BenchmarkSent exports 100,000 events as JSON up to the requests being sent. On a machine with other work the time of the CPUs,
// cpu-ms, says more than the one of the clock.
func BenchmarkSent(b *testing.B) {
	batch := newBatch()
	for _, name := range slices.Sorted(maps.Keys(arms)) {
		b.Run("library="+name, func(b *testing.B) {
			b.ReportAllocs()
			x := arms[name](b, configFor("https://s3.test", transport{}))
			export(b, x, batch) // what is made once is not measured
			before := cpu(b)
			for b.Loop() {
				export(b, x, batch)
			}
			b.ReportMetric(float64(cpu(b)-before)/float64(b.N)/1e6, "cpu-ms/op")
		})
	}
}

// BenchmarkStored exports 100,000 events as JSON to a server over TLS in this process, which shares the cores.
func BenchmarkStored(b *testing.B) {
	batch := newBatch()
	for _, name := range slices.Sorted(maps.Keys(arms)) {
		b.Run("library="+name, func(b *testing.B) {
			endpoint, cfg := serve(b)
			x := arms[name](b, cfg)
			export(b, x, batch)
			for b.Loop() {
				export(b, x, batch)
			}
			if p := endpoint.Problems(); len(p) != 0 {
				b.Fatal(p)
			}
		})
	}
}

// BenchmarkPeak reports how much memory an export takes at most, beyond the events: what can be reached while a request is being
// sent (reachable-MiB, by collecting the garbage then), and what the heap has with the garbage in it, as often as a
// goroutine gets to look (heap-MiB); and the temporary files that are there meanwhile.
func BenchmarkPeak(b *testing.B) {
	batch := newBatch()
	for _, name := range slices.Sorted(maps.Keys(arms)) {
		b.Run("library="+name, func(b *testing.B) {
			dir := b.TempDir()
			b.Setenv("TMPDIR", dir)
			var reachable, withGarbage, files float64
			for b.Loop() {
				base := heap()
				var peak atomic.Int64
				x := arms[name](b, configFor("https://s3.test", transport{arrived: func() {
					raise(&peak, heap()-base)
					made, _ := filepath.Glob(dir + "/*/*") // a folder an export, with its file
					files = max(files, float64(len(made)))
				}}))
				export(b, x, batch)
				reachable = max(reachable, float64(peak.Load()))

				base = heap()
				x = arms[name](b, configFor("https://s3.test", transport{}))
				withGarbage = max(withGarbage, float64(watch(func() { export(b, x, batch) })-base))
			}
			b.ReportMetric(reachable/(1<<20), "reachable-MiB")
			b.ReportMetric(withGarbage/(1<<20), "heap-MiB")
			b.ReportMetric(files, "temp-files")
			b.ReportMetric(0, "ns/op") // collecting garbage is most of it
			if left, _ := os.ReadDir(dir); len(left) != 0 {
				b.Errorf("%d folders are left behind", len(left))
			}
		})
	}
}

// cpu is how long the CPUs have worked for this process.
func cpu(b *testing.B) time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// heap is what the heap holds after two collections: the first one leaves what pools keep.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	return objects()
}

func objects() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

func raise(peak *atomic.Int64, value int64) {
	for {
		old := peak.Load()
		if value <= old || peak.CompareAndSwap(old, value) {
			return
		}
	}
}

// watch looks at the heap while f runs, and returns the most that it held.
func watch(f func()) int64 {
	var peak atomic.Int64
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for look := time.NewTicker(100 * time.Microsecond); ; {
			select {
			case <-look.C:
				raise(&peak, objects())
			case <-done:
				look.Stop()
				return
			}
		}
	}()
	f()
	close(done)
	<-stopped
	return peak.Load()
}
