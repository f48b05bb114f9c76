package exporter

import (
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// held is a batch from Export until it is settled. The event store keeps it, and hands it to the pump.
type held struct {
	first  int64
	size   int64
	began  time.Time
	logger *fflog.FFLogger

	// The rest is guarded by Async's mutex.
	events  []ffexporter.ExportableEvent // nil when settled; the array is not written to
	state   state
	attempt int
	// stopping says that the last attempt began after Stop, so that the inner exporter knew of it.
	stopping bool
	next     *held // the next one that waits
}

// state is where a batch stands.
type state int

const (
	waiting  state = iota
	inFlight       // handed to the inner exporter, until it was exported or is given up
	handled
	dropped
)

// queue lists the batches that wait, in the order of the event store. They are in that store too: this list is for giving
// the oldest up, which the store cannot do by the number of events. A batch that is given up stays in the store, empty,
// and is passed over by the pump.
type queue struct {
	oldest, newest  *held
	batches, events int64
}

func (q *queue) push(b *held) {
	if q.newest == nil {
		q.oldest = b
	} else {
		q.newest.next = b
	}
	q.newest = b
	q.batches++
	q.events += b.size
}

// pop takes the oldest out.
func (q *queue) pop() *held {
	b := q.oldest
	q.oldest = b.next
	if q.oldest == nil {
		q.newest = nil
	}
	b.next = nil // who keeps b is not to keep what came after it
	q.batches--
	q.events -= b.size
	return b
}

// takeLocked puts a new batch in line, and drops what exceeds the bounds then: it, or the oldest. It returns the memory of
// one that was dropped.
func (a *Async) takeLocked(b *held) (spent []ffexporter.ExportableEvent) {
	a.counts.Batches.Added++
	a.counts.Events.Added += b.size
	for a.queue.oldest != nil && !a.fitsLocked(b) {
		if a.options.Full == DropNewest {
			return a.dropLocked(b)
		}
		spent = a.dropLocked(a.queue.pop())
	}
	a.queue.push(b)
	a.store.Append(b)
	return spent
}

// fitsLocked says whether another batch may wait.
func (a *Async) fitsLocked(b *held) bool {
	return a.queue.batches < int64(a.options.MaxBatches) && a.queue.events+b.size <= int64(a.options.MaxEvents)
}

// dropLocked gives a batch up because of a bound.
func (a *Async) dropLocked(b *held) (spent []ffexporter.ExportableEvent) {
	a.burst.batches++
	a.burst.events += b.size
	return a.settleLocked(b, dropped)
}

// settleLocked ends the life of a batch, which is in the queue no more, and returns its memory.
func (a *Async) settleLocked(b *held, as state) (spent []ffexporter.ExportableEvent) {
	spent = b.events
	b.state, b.events = as, nil
	if as == handled {
		a.counts.Batches.Handled++
		a.counts.Events.Handled += b.size
	} else {
		a.counts.Batches.Dropped++
		a.counts.Events.Dropped += b.size
	}
	return spent
}

// keep copies the events that the library passed, into the memory of a batch that was settled if there is some: to
// fault new pages in takes many times as long as to copy.
func (a *Async) keep(events []ffexporter.ExportableEvent) []ffexporter.ExportableEvent {
	a.mu.Lock()
	spare := a.spare
	a.spare = nil
	a.mu.Unlock()
	return append(spare, events...)
}

// recycle keeps the memory of one settled batch for the next one. Nobody else has it: the inner exporter was given copies.
// That of a batch which exceeded the bound by itself is not kept: it would be for as long as the Async is.
func (a *Async) recycle(spent []ffexporter.ExportableEvent) {
	if cap(spent) == 0 || len(spent) > a.options.MaxEvents {
		return
	}
	clear(spent) // not under the lock: it takes microseconds
	a.mu.Lock()
	defer a.mu.Unlock()
	if cap(spent) > cap(a.spare) {
		a.spare = spent[:0]
	}
}
