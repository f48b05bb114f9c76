//go:build ignore

package exporter

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/thomaspoignant/go-feature-flag/internal/eventstore"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

//offlock:delete minOffset

// eventStoreImpl is an EventStore on a log of segments. Each event is stored once, for all consumers, and let go when
// the last one has processed it. It has no goroutine, and nothing waits for a consumer.
type eventStoreImpl[T ExportableEvent] struct {
	log *eventstore.Store[T]

	cleanQueueInterval time.Duration

	// mutex guards the fields below. It is held for a few assignments, and no other lock of this package is taken under
	// it.
	mutex     sync.Mutex
	consumers map[string]*consumer[T]
	cleanedAt time.Time
	// cleaned is how many events GetTotalEventCount leaves out: those that nobody needed at the last cleaning
	cleaned int64
}

// NewEventStore makes an EventStore. It starts nothing. The interval says when GetTotalEventCount takes notice of
// events that all consumers have processed; their memory is free at once.
//
// At most a million events wait for a consumer, or as many as its DataExporter says (Config.MaxBacklog). Past that its
// oldest ones are dropped, and counted: see StatsReporter, which the store implements.
func NewEventStore[T ExportableEvent](cleanQueueInterval time.Duration) EventStore[T] {
	if cleanQueueInterval <= 0 {
		cleanQueueInterval = DefaultExporterCleanQueueInterval
	}
	log, _ := eventstore.New[T](eventstore.Options{}) // the defaults are valid
	return &eventStoreImpl[T]{
		log:                log,
		cleanQueueInterval: cleanQueueInterval,
		consumers:          make(map[string]*consumer[T]),
		cleanedAt:          time.Now(),
	}
}

// consumer is a consumer of an eventStoreImpl.
type consumer[T ExportableEvent] struct {
	*eventstore.Consumer[T]
	// turn is held by whoever processes events of this consumer, from the fetch of a batch to its commit, and guards
	// taken. It is never taken while the mutex of the store is held.
	turn sync.Mutex
	// taken: the pump of a DataExporter processes the events of this consumer, and nobody else may
	taken bool
}

// AddConsumer adds a consumer, which starts behind the last event. One that is there already stays as it is.
func (e *eventStoreImpl[T]) AddConsumer(consumerID string) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.consumers[consumerID] != nil {
		return
	}
	added, err := e.log.Consumer(consumerID, eventstore.ConsumerOptions{})
	if err != nil {
		return // of two causes, the map rules out the one and the default options the other
	}
	e.consumers[consumerID] = &consumer[T]{Consumer: added}
}

// ProcessPendingEvents hands everything that is pending for the consumer to processEventsFunc, and moves the consumer
// behind it if that succeeds. The slice is the callee's to keep. Calls for the same consumer follow one another;
// without pending events processEventsFunc is not called. After a failure the next call hands over the same events
// again, and then, in a slice of their own, those that were added since.
func (e *eventStoreImpl[T]) ProcessPendingEvents(
	consumerID string, processEventsFunc func(context.Context, []T) error) error {
	current, err := e.getConsumer(consumerID)
	if err != nil {
		return err
	}
	current.turn.Lock()
	defer current.turn.Unlock()
	if current.taken {
		return fmt.Errorf("consumer with name %s has a DataExporter, call the Flush of that one", consumerID)
	}
	e.cleanIfDue()
	for pending := current.Stats().Lag(); pending > 0; {
		batch, ok := current.Fetch(int(pending))
		if !ok {
			return nil // the rest was dropped in the meantime
		}
		events := batch.AppendTo(make([]T, 0, batch.Len()))
		if err := processEventsFunc(context.Background(), events); err != nil {
			return err
		}
		if err := current.Commit(batch); err != nil {
			return err
		}
		pending -= int64(batch.Len())
	}
	return nil
}

// GetTotalEventCount returns the number of events that were stored and not cleaned away yet.
func (e *eventStoreImpl[T]) GetTotalEventCount() int64 {
	e.cleanIfDue()
	e.mutex.Lock()
	defer e.mutex.Unlock()
	return e.log.Stats().Appended - e.cleaned
}

// GetPendingEventCount returns the number of events that the consumer has not processed.
func (e *eventStoreImpl[T]) GetPendingEventCount(consumerID string) (int64, error) {
	current, err := e.getConsumer(consumerID)
	if err != nil {
		return 0, err
	}
	return current.Stats().Lag(), nil
}

// Add stores an event. It waits for no consumer. After Stop events are counted and not stored.
func (e *eventStoreImpl[T]) Add(data T) {
	e.log.Append(data)
}

//offlock:delete eventStoreImpl.fetchPendingEvents

// getConsumer checks if the consumer exists and returns it.
func (e *eventStoreImpl[T]) getConsumer(consumerID string) (*consumer[T], error) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	current, ok := e.consumers[consumerID]
	if !ok {
		return nil, fmt.Errorf("consumer with name %s not found", consumerID)
	}
	return current, nil
}

// take puts the consumer, which is added if need be, into the hands of a DataExporter. It waits for a
// ProcessPendingEvents of that consumer that is going on. There is none to be had if another DataExporter has it.
func (e *eventStoreImpl[T]) take(consumerID string) (*eventstore.Consumer[T], error) {
	e.AddConsumer(consumerID)
	current, err := e.getConsumer(consumerID)
	if err != nil {
		return nil, err
	}
	current.turn.Lock()
	defer current.turn.Unlock()
	if current.taken {
		return nil, fmt.Errorf("consumer with name %s has a DataExporter already", consumerID)
	}
	current.taken = true
	return current.Consumer, nil
}

// pumped returns a DataExporter that a pump is in charge of, or nil if the consumer has one already.
func (e *eventStoreImpl[T]) pumped(config Config, consumerID string, logger *fflog.FFLogger) DataExporter[T] {
	consumer, err := e.take(consumerID)
	if err != nil {
		logger.Error(err.Error())
		return nil
	}
	exporter, err := newPumpedExporter(config, consumer, logger)
	if err != nil {
		logger.Error(err.Error())
		return nil
	}
	return exporter
}

//offlock:delete eventStoreImpl.updateConsumerOffset

// cleanQueue has GetTotalEventCount leave out what no consumer needs, and gives memory back that is not used again.
func (e *eventStoreImpl[T]) cleanQueue() {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.cleanLocked()
}

func (e *eventStoreImpl[T]) cleanLocked() {
	stats := e.log.Stats()
	e.cleaned = stats.Appended - stats.Stored
	e.log.Trim()
}

// cleanIfDue cleans once an interval, when somebody looks: there is nothing that would have to be done in between.
func (e *eventStoreImpl[T]) cleanIfDue() {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if passed := time.Since(e.cleanedAt); passed >= e.cleanQueueInterval {
		e.cleanedAt = e.cleanedAt.Add(passed.Truncate(e.cleanQueueInterval))
		e.cleanLocked()
	}
}

//offlock:delete eventStoreImpl.periodicCleanQueue

// Stop closes the store: it takes no more events. What it holds can still be processed.
// It is safe to call it several times.
func (e *eventStoreImpl[T]) Stop() {
	e.log.Close()
}

// Stats implements StatsReporter.
func (e *eventStoreImpl[T]) Stats() Stats {
	log := e.log.Stats()
	stats := Stats{Rejected: log.Rejected}
	for _, s := range log.Consumers {
		stats.Consumers = append(stats.Consumers, ConsumerStats{
			ConsumerID: s.Name,
			Added:      s.Added,
			Exported:   s.Handled,
			Dropped:    s.Dropped,
			InFlight:   s.InFlight,
			Waiting:    s.Waiting,
		})
	}
	return stats
}
