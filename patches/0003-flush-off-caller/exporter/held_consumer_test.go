//go:build ignore

package exporter_test

import "github.com/thomaspoignant/go-feature-flag/exporter"

// newConsumer makes a consumer of a store without a manager.
func newConsumer(config exporter.Config, store exporter.EventStore[exporter.FeatureEvent]) exporter.DataExporter[exporter.FeatureEvent] {
	return exporter.NewDataExporter(config, "consumer", store, nil)
}
