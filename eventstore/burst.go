package eventstore

// burst is a run of drops, from the first one to an interval without any. The log has two lines for it, however many drops and
// batches it has.
type burst struct {
	on     bool
	before int64 // dropped before it
	seen   int64 // dropped in all, when it was last looked at
	grew   bool  // since the last tick
}

// watchDrops looks whether events were dropped. If so the bound is near, so all that waits is handled, whatever the threshold.
func (l *loop[T]) watchDrops() {
	dropped := l.consumer.Stats().Dropped
	if dropped == l.drops.seen {
		return
	}
	if !l.drops.on {
		l.drops.on, l.drops.before = true, l.drops.seen
		l.options.Logger.Warn("eventstore: the oldest events are being dropped, more than MaxLag wait",
			"consumer", l.consumer.name, "dropped", dropped-l.drops.before)
	}
	l.drops.seen, l.drops.grew = dropped, true
	l.all()
}

// endBurst ends a burst that did not grow since the last call, or any.
func (l *loop[T]) endBurst(any bool) {
	l.watchDrops()
	if l.drops.on && (any || !l.drops.grew) {
		l.drops.on = false
		l.options.Logger.Warn("eventstore: no more events are being dropped",
			"consumer", l.consumer.name, "dropped", l.drops.seen-l.drops.before)
	}
	l.drops.grew = false
}
