//go:build ignore

// This file edits data_exporter.go beside the one of that name: later releases can stop twice by themselves.
package exporter

import "sync"

//offlock:fields
type dataExporterImpl[T ExportableEvent] struct {
	// stopOnce makes Stop callable more than once
	stopOnce sync.Once
}

//offlock:replace dataExporterImpl.Stop 0a0819c91e7e
func _() {
	d.stopOnce.Do(func() {
		d.ticker.Stop()
		close(d.daemonChan)
	})
}

//offlock:delete dataExporterImpl.Stop 11fe1c54ba90
