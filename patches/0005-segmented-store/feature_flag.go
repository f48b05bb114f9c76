//go:build ignore

package ffclient

import (
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/retriever"
)

type GoFeatureFlag struct {
	config                    Config
	featureEventDataExporter  exporter.Manager[exporter.FeatureEvent]
	trackingEventDataExporter exporter.Manager[exporter.TrackingEvent]
	retrieverManager          *retriever.Manager
}

//offlock:replace New cc4f331ccd1e
func _() {
	goFF := &GoFeatureFlag{
		config: config,
	}
}

//offlock:delete GoFeatureFlag.Close 1de98cce1c77
