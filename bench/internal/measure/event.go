package measure

import "github.com/thomaspoignant/go-feature-flag/exporter"

// Event is what is stored in every queue that stores anything: 152 bytes, nine pointers among them.
type Event = exporter.FeatureEvent

// NewEvent makes the event that is added over and over.
func NewEvent() Event {
	return Event{
		Kind: "feature", ContextKind: "user", UserKey: "94a25909-20d8-40cc-8500-fee99b569345", CreationDate: 1680246000,
		Key: "my-feature-flag", Variation: "enabled", Value: true, Version: "v1.0.0", Source: "SERVER",
	}
}
