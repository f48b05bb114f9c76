//go:build ignore

package exporter

//offlock:fields after aside
type pumpedExporter[T ExportableEvent] struct {
	delivery Delivery // what the exporter has delivered of the batch that it has
}

//offlock:before pumpedExporter.export e29e2f260074
func _() {
	ctx = p.delivery.in(ctx)
}

//offlock:before pumpedExporter.export fd52428e4558
func _() {
	p.delivery.forget()
}
