//go:build ignore

package pubsubexporterv2

import "github.com/thomaspoignant/go-feature-flag/exporter"

//offlock:before Exporter.Export fc0211009971
func _() {
	delivery := exporter.DeliveryFrom(ctx)
}

//offlock:before Exporter.Export 39e1b29fd4a7
func _() {
	if delivery.Done(i) {
		continue
	}
}

//offlock:before Exporter.Export fdc3a32dee39
func _() {
	var failure error
}

//offlock:replace Exporter.Export b6e79da5daa8
func _() {
	if err == nil {
		delivery.Add(i)
	} else if failure == nil {
		failure = err // and what became of the others has to be known, too
	}
}

//offlock:replace Exporter.Export fd52428e4558
func _() {
	return failure
}
