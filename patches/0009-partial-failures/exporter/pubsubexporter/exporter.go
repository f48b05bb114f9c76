//go:build ignore

package pubsubexporter

import "github.com/thomaspoignant/go-feature-flag/exporter"

//offlock:before Exporter.Export a734f7edd5a1
func _() {
	delivery := exporter.DeliveryFrom(ctx)
}

//offlock:before Exporter.Export 39e1b29fd4a7
func _() {
	if delivery.Done(i) {
		continue
	}
}

//offlock:after Exporter.Export b6e79da5daa8
func _() {
	delivery.Add(i)
}
