//go:build ignore

package exporter

//offlock:fields after pump
type pumpedExporter[T ExportableEvent] struct {
	aside setAside // what the exporter has set aside
}

//offlock:before pumpedExporter.export e29e2f260074
func _() {
	ctx = p.aside.in(ctx)
}

//offlock:before pumpedExporter.stats f1cc3a0f7ca6
func _() {
	stats.SetAside = p.aside.count()
}
