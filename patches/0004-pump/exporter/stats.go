//go:build ignore

package exporter

// Stats is what a Manager has done with the events that it was given.
type Stats struct {
	// Rejected counts the events that were added after Stop, which are not exported.
	Rejected int64
	// Consumers has an entry for each exporter, in the order of the configuration.
	Consumers []ConsumerStats
}

// ConsumerStats is what became of the events of one exporter, at one moment:
// Added = Exported + Dropped + InFlight + Waiting.
type ConsumerStats struct {
	ConsumerID string // in the logs and in the Attempt
	Exporter   string // its Go type

	Added    int64
	Exported int64
	Dropped  int64 // given up: beyond MaxBacklog, or not exported when Stop had to return
	InFlight int64 // in the batch that is being exported, or that failed and will be tried again
	Waiting  int64

	Calls     int64 // of Export
	Failures  int64 // calls that ended in an error or a panic
	Panics    int64
	Abandoned int64 // calls that had not returned by their deadline
	Hung      bool  // one of those is still running
	LastError error // of the last call that failed or was abandoned
	StopError error // why Stop could not export everything; nil if it did
}

// StatsReporter is implemented by the Manager that NewManager returns.
type StatsReporter interface {
	// Stats may be called at any time, also after Stop.
	Stats() Stats
}

// Stats implements StatsReporter.
func (m *managerImpl[T]) Stats() Stats {
	stats := Stats{Rejected: m.store.Stats().Rejected}
	for _, consumer := range m.consumers {
		stats.Consumers = append(stats.Consumers, consumer.stats())
	}
	return stats
}
