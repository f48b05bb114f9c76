//go:build ignore

package ffclient

import "github.com/thomaspoignant/go-feature-flag/exporter"

// ExporterStats reports what became of the feature events and of the tracking events, exporter by exporter: how many
// were exported, wait, or had to be dropped, and why. It may be called at any time, also after Close.
func (g *GoFeatureFlag) ExporterStats() (feature, tracking exporter.Stats) {
	if g == nil {
		return feature, tracking
	}
	if reporter, ok := g.featureEventDataExporter.(exporter.StatsReporter); ok {
		feature = reporter.Stats()
	}
	if reporter, ok := g.trackingEventDataExporter.(exporter.StatsReporter); ok {
		tracking = reporter.Stats()
	}
	return feature, tracking
}
