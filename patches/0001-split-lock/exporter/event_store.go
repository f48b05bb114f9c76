//go:build ignore

package exporter

import (
	"context"
	"sync"
)

//offlock:fields
type consumer struct {
	// turn is held by the goroutine that exports for this consumer, from the fetch of its batch to the commit.
	// It is taken before the mutex of the store, never while that one is held.
	turn sync.Mutex
}

//offlock:before eventStoreImpl.AddConsumer 0d801ca451c9
func _() {
	e.mutex.Lock()
	defer e.mutex.Unlock()
}

// ProcessPendingEvents hands everything that is pending for the consumer to processEventsFunc, and moves the consumer
// behind it if that succeeds. The store is locked while the events are fetched and while the new offset is committed,
// never while processEventsFunc runs. Calls for the same consumer follow one another; without pending events
// processEventsFunc is not called.
func (e *eventStoreImpl[T]) ProcessPendingEvents(
	consumerID string, processEventsFunc func(context.Context, []T) error) error {
	giveBack, err := e.takeTurn(consumerID)
	if err != nil {
		return err
	}
	defer giveBack()

	batch, err := e.nextBatch(consumerID)
	if err != nil || len(batch.Events) == 0 {
		return err
	}
	if err := processEventsFunc(context.Background(), batch.Events); err != nil {
		return err
	}
	return e.commit(consumerID, batch)
}

// takeTurn waits until no other goroutine exports for the consumer. The caller gives the turn back when it is done.
func (e *eventStoreImpl[T]) takeTurn(consumerID string) (giveBack func(), err error) {
	e.mutex.RLock()
	owner, err := e.getConsumer(consumerID)
	e.mutex.RUnlock()
	if err != nil {
		return nil, err
	}
	owner.turn.Lock()
	return owner.turn.Unlock, nil
}

// nextBatch returns a copy of what is pending for the consumer, whose turn the caller holds.
func (e *eventStoreImpl[T]) nextBatch(consumerID string) (*EventList[T], error) {
	e.mutex.RLock()
	defer e.mutex.RUnlock()
	return e.fetchPendingEvents(consumerID)
}

// commit moves the consumer, whose turn the caller holds, to the end of a batch that was exported.
// Events that were added since the batch was fetched stay pending.
func (e *eventStoreImpl[T]) commit(consumerID string, batch *EventList[T]) error {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	return e.updateConsumerOffset(consumerID, batch.NewOffset)
}

//offlock:replace eventStoreImpl.updateConsumerOffset ecfd36c3d3b8
func _() {
	currentConsumer.Offset = offset
}
