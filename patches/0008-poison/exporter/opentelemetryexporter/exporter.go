//go:build ignore

package opentelemetryexporter

import (
	"fmt"

	"github.com/thomaspoignant/go-feature-flag/exporter"
)

//offlock:replace Exporter.Export 2665020afa46
func _() {
	var refused []exporter.Refused
	for i, evt := range events {
		featureEvent, ok := evt.(exporter.FeatureEvent)
		if !ok {
			err := fmt.Errorf("a span is made of a feature event, not of %T", evt)
			refused = append(refused, exporter.Refused{Index: i, Event: evt, Err: err})
			continue
		}
		e.createSpan(ctx, featureEvent, logger)
	}
	exporter.SetAside(ctx, logger, refused...)
}
