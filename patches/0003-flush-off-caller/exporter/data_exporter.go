//go:build ignore

package exporter

//offlock:fields
type dataExporterImpl[T ExportableEvent] struct {
	// loop does all flushes but the last one, which is Stop's
	loop flushLoop
}

// Start launches the goroutine that flushes at every tick of the flush interval and whenever requestFlush asks for it.
// It returns at once, and does nothing if the goroutine runs already or if Stop was called.
func (d *dataExporterImpl[T]) Start() {
	d.loop.launch(d.Flush, d.ticker.C, d.daemonChan)
}

// requestFlush has the goroutine flush, and launches it if Start did not.
func (d *dataExporterImpl[T]) requestFlush() {
	d.Start()
	d.loop.request()
}

//offlock:delete dataExporterImpl.Stop eb46bd6bac25

//offlock:before dataExporterImpl.Stop 4e1c5c03685d#2
func _() {
	d.loop.join()
}
