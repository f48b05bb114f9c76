//go:build ignore

package sqsexporter

import "github.com/thomaspoignant/go-feature-flag/exporter"

//offlock:before Exporter.Export 2b8eceb46286
func _() {
	delivery := exporter.DeliveryFrom(ctx)
}

//offlock:before Exporter.Export df0a7ae1a569
func _() {
	if delivery.Done(i) {
		continue
	}
}

//offlock:after Exporter.Export d16de8f679cc
func _() {
	delivery.Add(i)
}

//offlock:after Exporter.Export b6e79da5daa8
func _() {
	delivery.Add(i)
}
