//go:build ignore

package exporter

import (
	"time"
)

//offlock:fields
type Config struct {

	// MaxBacklog is how many events may wait for the exporter while it is slow or fails. Past it the oldest are
	// dropped: for this exporter alone, counted (see Stats) and logged.
	// Default: ten times MaxEventInMemory, and at least 1,000
	MaxBacklog int64

	// ExportTimeout is the deadline in the context of each Export. One that fails is tried again with the same events.
	// One that has not returned by its deadline is left alone: nothing else is exported before it returns.
	// Default: 1 minute
	ExportTimeout time.Duration

	// StopTimeout is how long Stop may take to export what is left. What it does not export by then is dropped.
	// Default: 10 seconds
	StopTimeout time.Duration
}

//offlock:replace NewDataExporter 253a8b8cefb5
func _() {
	exporter = exporter.complete(logger)
}

//offlock:delete NewDataExporter 2725062f1792

// Start launches the goroutine that flushes at every tick of the flush interval.
// It returns at once, and does nothing if the goroutine runs already or if Stop was called.
func (d *dataExporterImpl[T]) Start() {
	d.loop.launch(d.Flush, d.ticker.C, d.daemonChan)
}

//offlock:delete dataExporterImpl.requestFlush
