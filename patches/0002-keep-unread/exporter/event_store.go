//go:build ignore

package exporter

//offlock:replace eventStoreImpl.cleanQueue 47ef626d442f
func _() {
	// Everything may go, but for what a consumer has yet to commit. Without consumers nobody will ever ask for these
	// events: a consumer starts behind the events that are stored when it is added.
	consumerMinOffset := e.lastOffset
}

//offlock:replace eventStoreImpl.cleanQueue 6a5fba4ed44d
func _() {
	consumerMinOffset = min(consumerMinOffset, currentConsumer.Offset)
}

//offlock:delete eventStoreImpl.cleanQueue 2357f1c97322
