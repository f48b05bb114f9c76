//go:build ignore

package ffclient

import "time"

//offlock:fields
type DataExporter struct {

	// MaxBacklog is how many events may wait for the exporter while it is slow or fails. Past it the oldest are
	// dropped: for this exporter alone, counted (see GoFeatureFlag.ExporterStats) and logged.
	// Default: ten times MaxEventInMemory, and at least 1,000
	MaxBacklog int64

	// ExportTimeout is the deadline in the context of each Export.
	// Default: 1 minute
	ExportTimeout time.Duration

	// StopTimeout is how long Close may take to export what is left. What it does not export by then is dropped.
	// Default: 10 seconds
	StopTimeout time.Duration
}
