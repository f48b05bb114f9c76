//go:build ignore

package exporter

import (
	"sync"
	"time"
)

// flushLoop is the goroutine that flushes for one consumer, so that nobody else has to wait for an export.
// The zero value is a loop that was not launched yet. Its methods may be called concurrently.
type flushLoop struct {
	// launchOnce is spent by the first launch, or by join: nothing is launched after that.
	launchOnce sync.Once
	running    sync.WaitGroup
	// requests holds one request: the flush that it leads to serves those that come while it waits, too.
	// It is made by launch.
	requests chan struct{}
}

// launch starts the goroutine if it was not launched or joined before. It flushes at every tick and at every request,
// until stop is closed.
func (l *flushLoop) launch(flush func(), tick <-chan time.Time, stop <-chan struct{}) {
	l.launchOnce.Do(func() {
		l.requests = make(chan struct{}, 1)
		l.running.Go(func() {
			for {
				select {
				case <-tick:
				case <-l.requests:
				case <-stop:
					return
				}
				flush()
			}
		})
	})
}

// request asks for a flush that begins after this call, and does not wait for it. It comes after a call of launch.
func (l *flushLoop) request() {
	select {
	case l.requests <- struct{}{}:
	default: // the request that waits covers this one, or the loop was joined
	}
}

// join waits for the goroutine, if there is one, to end. The caller has closed the stop channel.
func (l *flushLoop) join() {
	l.launchOnce.Do(func() {})
	l.running.Wait()
}

// flushRequester is a DataExporter that flushes in a goroutine of its own.
type flushRequester interface {
	requestFlush()
}

// requestFlush has a consumer flushed soon. It does not wait for the export, because whoever adds an event is in the
// middle of a flag evaluation or of a request.
func requestFlush[T ExportableEvent](consumer DataExporter[T]) {
	if own, ok := consumer.(flushRequester); ok {
		own.requestFlush()
		return
	}
	consumer.Flush() // it has no goroutine that this could be left to
}
