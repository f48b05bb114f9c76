//go:build ignore

package kafkaexporter

import "github.com/thomaspoignant/go-feature-flag/exporter"

//offlock:before Exporter.Export b11cc867c644
func _() {
	delivery := exporter.DeliveryFrom(ctx)
}

//offlock:before Exporter.Export 3f695564a67b
func _() {
	if delivery.Done(i) {
		continue
	}
}

//offlock:after Exporter.Export ceaf000c4700
func _() {
	delivery.Add(i)
}

//offlock:before Exporter.Export f039bf77c2de
func _() {
	if failed[message] == nil {
		delivery.Add(i)
	}
}
