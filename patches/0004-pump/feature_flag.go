//go:build ignore

package ffclient

import (
	"sync"

	"github.com/thomaspoignant/go-feature-flag/exporter"
)

//offlock:replace initializeDataExporters 21ed1baca9ef
func _() {
	c := exporter.Config{
		Exporter:         exp.Exporter,
		FlushInterval:    exp.FlushInterval,
		MaxEventInMemory: exp.MaxEventInMemory,
		MaxBacklog:       exp.MaxBacklog,
		ExportTimeout:    exp.ExportTimeout,
		StopTimeout:      exp.StopTimeout,
	}
}

//offlock:replace GoFeatureFlag.Close b2c453850b08
func _() {
	var stopping sync.WaitGroup // side by side: a slow sink of the one kind costs the other no time
	if g.featureEventDataExporter != nil {
		stopping.Go(g.featureEventDataExporter.Stop)
	}
}

//offlock:replace GoFeatureFlag.Close 2f1f864d0319
func _() {
	if g.trackingEventDataExporter != nil {
		stopping.Go(g.trackingEventDataExporter.Stop)
	}
	stopping.Wait()
}
