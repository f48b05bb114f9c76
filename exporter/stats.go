package exporter

// AsyncStats is what became of what an [Async] was handed, and of the calls of its inner exporter, at one moment. For
// batches and for events, Added = Handled + Dropped + InFlight + Waiting. A batch is what the inner exporter is handed
// in one call.
type AsyncStats struct {
	Batches, Events AsyncCounts
	// RefusedBatches and RefusedEvents came after Stop, as Export was handed them. They are in no other count.
	RefusedBatches, RefusedEvents int64
	// SetAside are handled events that an inner exporter of a deprecated interface could not take: see [NewSink].
	SetAside int64

	Calls     int64 // of the inner exporter
	Failures  int64 // calls that ended in an error, a panic or the end of their goroutine
	Panics    int64
	HungCalls int64 // calls that did not return in time; one that returns an error later is a failure, too
	Hung      bool  // one of them is still running
	LastError error // of the last failure or hung call; a success after it does not change it
}

// AsyncCounts are the five places that a batch or an event can be in.
type AsyncCounts struct {
	Added    int64 // taken by Export
	Handled  int64 // exported: the inner exporter returned nil
	Dropped  int64 // given up: more waited than may, MaxAttempts failed, or Stop could not wait
	InFlight int64 // the inner exporter has it, or had it and failed
	Waiting  int64
}

// Lag is how much is not settled yet.
func (c AsyncCounts) Lag() int64 { return c.InFlight + c.Waiting }

// Stats reports on the exporter, at any time, after Stop too.
func (a *Async) Stats() AsyncStats {
	a.mu.Lock()
	stats := a.statsLocked()
	a.mu.Unlock()
	if features, ok := a.sink.(interface{ eventsSetAside() int64 }); ok {
		stats.SetAside = features.eventsSetAside()
	}
	return stats
}

func (a *Async) statsLocked() AsyncStats {
	stats := a.counts
	stats.Batches.Waiting, stats.Events.Waiting = a.queue.batches, a.queue.events
	if a.current != nil {
		stats.Batches.InFlight, stats.Events.InFlight = 1, a.current.size
	}
	return stats
}
