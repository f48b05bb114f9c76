// Package store measures what an event costs whoever adds it to an eventstore, beside the ways to do it that were not
// taken (a lock-free claim, a log a processor) and the anchors that ratios are taken to (a slice under a mutex, a channel).
//
// Every queue is bounded and drained by one goroutine, and every benchmark checks that what was added was delivered: one that
// drops, or is never read, is measured at dropping.
package store

// bound is how many events a queue may hold: a producer that finds it full yields, and tries again.
const bound = 1 << 16

// batch is how many events make the drain due.
const batch = 1 << 13

// Event has the size and the kinds of fields of the library's feature event: 152 bytes.
type Event struct {
	Kind, ContextKind, UserKey, Key, Variation, Version, Source, ID string
	Created                                                         int64
	Value                                                           any
}
