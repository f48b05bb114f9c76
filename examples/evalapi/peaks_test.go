package main

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestPeakIsSeenBetweenTwoReadings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const burst = 500
		p := watchPeaks(func() []account { return nil })
		defer p.stop()

		release := make(chan struct{})
		for range burst {
			go func() { <-release }()
		}
		time.Sleep(2 * samplePeriod) // the bubble's clock: exactly two samples
		close(release)
		synctest.Wait()

		after := p.stats()
		if after.PeakGoroutines < burst {
			t.Errorf("peak %d, want at least the burst of %d", after.PeakGoroutines, burst)
		}
		if after.Goroutines >= after.PeakGoroutines {
			t.Errorf("%d goroutines now, peak %d: the burst has ended", after.Goroutines, after.PeakGoroutines)
		}
	})
}
