package exporter

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"

	"github.com/offlock/offlock/eventstore"
)

// ErrStopped is returned by [Async.Export] after [Async.Stop].
var ErrStopped = errors.New("exporter: the exporter was stopped")

// consumerName names the one consumer of an Async's store.
const consumerName = "async"

// Async is an exporter that hands events over to one goroutine, which exports them with another exporter, the inner one.
// Use [NewAsync], and [Async.Stop] when the client was closed. All methods may be called at the same time, and one Async
// may serve several clients.
type Async struct {
	sink    ffexporter.Exporter
	stopper stopper // the inner exporter, if it can be stopped
	options AsyncOptions
	store   *eventstore.Store[*held]
	pump    *eventstore.Pump[*held]

	// mu guards the fields below. It is held for assignments and appends to the store, whose own lock is the only one
	// taken under it: never while an exporter runs or a line is logged.
	mu      sync.Mutex
	queue   queue // what waits
	current *held // in flight, or nil
	calling bool  // the inner exporter has it
	// cancelCall ends the context of that call, or is nil.
	cancelCall context.CancelFunc
	// drainBy is when the contexts of the last calls end, or zero.
	drainBy  time.Time
	next     int64 // the offset of the next event
	stopping bool  // Stop was called: nothing is taken any more
	ended    bool  // the pump has ended: what fails now is not tried again
	counts   AsyncStats
	logger   *fflog.FFLogger // the last one that the library passed
	burst    burst
	spare    []ffexporter.ExportableEvent // the memory of a settled batch: no events
	// reporting is closed when the goroutine that logs the beginning of a burst has ended. Nil is none.
	reporting chan struct{}

	finish   sync.Once
	finished chan struct{}
	left     error // what was not exported: written by finish, read after it
	result   error // of Stop: written before finished is closed, read after it
}

// NewAsync returns an exporter that calls inner off the caller's goroutine. Inner may have the library's current interface
// or a deprecated one, bulk or not. It starts nothing before the first Export.
func NewAsync(inner ffexporter.CommonExporter, o AsyncOptions) (*Async, error) {
	sink, err := NewSink(inner)
	if err != nil {
		return nil, err
	}
	o, err = o.complete()
	if err != nil {
		return nil, err
	}
	a := &Async{sink: sink, options: o, finished: make(chan struct{})}
	a.stopper, _ = inner.(stopper)
	a.store, err = eventstore.New[*held](eventstore.Options{})
	if err != nil {
		return nil, err
	}
	consumer, err := a.store.Consumer(consumerName, eventstore.ConsumerOptions{
		Threshold: 1, // a batch is due as it comes
		// No more than MaxBatches wait, so whatever exceeds this are batches that were given up, which lie before those that
		// wait. The store drops a segment of events at most at a time, so no other ever goes with them.
		MaxLag: o.MaxBatches + eventstore.DefaultSegmentSize,
	})
	if err != nil {
		return nil, err
	}
	a.pump, err = eventstore.NewPump(consumer, a.handle, eventstore.PumpOptions{
		MaxBatch:    1,
		Timeout:     o.Timeout,
		BackoffBase: o.BackoffBase,
		BackoffCap:  o.BackoffCap,
		Rand:        o.Rand,
	})
	if err != nil {
		return nil, fmt.Errorf("exporter: the options are not valid: %w", err)
	}
	return a, nil
}

// randomInstance is a name that no other process has.
func randomInstance() string {
	var name [8]byte
	_, _ = rand.Read(name[:]) // does not fail
	return hex.EncodeToString(name[:])
}

// IsBulk is true, whatever the inner exporter says. The library calls an exporter that is not bulk at each event, under the
// goroutine that added it, with all that waits, and searches all the events that it stores before it does. So it is told to
// collect them; an inner exporter that is not bulk then gets what was collected, in one call.
func (a *Async) IsBulk() bool { return true }

// Export takes a batch of events to be exported, and returns: nil, also if events are dropped because too many wait, or an
// error that wraps [ErrStopped] after Stop. It keeps the events, not the slice, nor the context. The events' own maps must
// not be changed any more, as they must not be with the library.
//
// It takes microseconds whatever the inner exporter does: the time to copy 16 bytes an event.
func (a *Async) Export(_ context.Context, logger *fflog.FFLogger, events []ffexporter.ExportableEvent) error {
	if len(events) == 0 {
		return nil
	}
	b := &held{size: int64(len(events)), began: time.Now(), logger: logger, events: a.keep(events)}
	a.mu.Lock()
	if a.stopping {
		a.counts.RefusedBatches++
		a.counts.RefusedEvents += int64(len(events))
		a.mu.Unlock()
		return fmt.Errorf("%w: %d events are refused; close the client before it", ErrStopped, len(events))
	}
	if works(logger) {
		a.logger = logger
	}
	b.first = a.next
	a.next += b.size
	spent := a.takeLocked(b)
	begun := a.beginBurstLocked()
	a.mu.Unlock()
	a.pump.Start()
	a.reportBurst(begun)
	a.recycle(spent)
	return nil
}
