package peers

import (
	"fmt"
	"testing"

	"github.com/offlock/offlock/bench/internal/measure"
)

// room is the capacity of every queue that has one: a chunk fits, so that nothing is dropped.
const room = 131_072

// BenchmarkEnqueue is the cost of handing over an event.
func BenchmarkEnqueue(b *testing.B) {
	for _, queue := range []struct {
		name string
		open func(testing.TB) measure.Queue
	}{
		{"mutex-slice", mutexSlice},
		{"atomic-add", atomicAdd},
		{"channel", channel},
		{"xsync-mpmc", xsyncMPMC},
		{"xsync-umpsc", xsyncUMPSC},
		{"otel-log", otelLog},
		{"otel-span", otelSpan},
		{"launchdarkly", launchDarkly},
	} {
		b.Run("queue="+queue.name, func(b *testing.B) {
			q := queue.open(b)
			measure.Prime(q)
			for _, goroutines := range []int{1, 2, 64} {
				b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) {
					measure.Fill(b, goroutines, q)
				})
			}
		})
	}
}
