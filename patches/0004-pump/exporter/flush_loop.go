//go:build ignore

package exporter

import (
	"sync"
	"time"
)

// flushLoop is the goroutine that flushes for a consumer of a store that is not ours.
// The zero value is a loop that was not launched yet. Its methods may be called concurrently.
type flushLoop struct {
	// launchOnce is spent by the first launch, or by join: nothing is launched after that.
	launchOnce sync.Once
	running    sync.WaitGroup
}

// launch starts the goroutine if it was not launched or joined before. It flushes at every tick, until stop is closed.
func (l *flushLoop) launch(flush func(), tick <-chan time.Time, stop <-chan struct{}) {
	l.launchOnce.Do(func() {
		l.running.Go(func() {
			for {
				select {
				case <-tick:
				case <-stop:
					return
				}
				flush()
			}
		})
	})
}

//offlock:delete flushLoop.request

//offlock:delete flushRequester

//offlock:delete requestFlush
