//go:build ignore

package exporter

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/thomaspoignant/go-feature-flag/internal/eventstore"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

type managerImpl[T ExportableEvent] struct {
	logger    *fflog.FFLogger
	store     *eventstore.Store[T]
	consumers []*pumpedExporter[T]
	// started spares AddEvent a call of Start for each event
	started atomic.Bool
	// refusal is logged once, the events are counted
	refusal sync.Once
}

// NewManager makes a Manager that exports the events to each of the exporters, independently of each other. It starts
// nothing. What cannot be meant in a Config is logged and replaced by its default, and an exporter that is nil is left
// out.
//
// The interval has no effect any more: an event is let go when the last exporter has exported it.
func NewManager[T ExportableEvent](exporters []Config,
	_ time.Duration, logger *fflog.FFLogger) Manager[T] {
	store, _ := eventstore.New[T](eventstore.Options{}) // the defaults are valid
	m := &managerImpl[T]{logger: logger, store: store}
	for _, config := range exporters {
		if config.Exporter == nil {
			logger.Error("no exporter is configured, it is left out")
			continue
		}
		consumer, err := m.newConsumer(config.complete(logger))
		if err != nil {
			logger.Error("an exporter cannot be set up, it is left out", slog.Any("error", err))
			continue
		}
		m.consumers = append(m.consumers, consumer)
	}
	return m
}

func (m *managerImpl[T]) newConsumer(config Config) (*pumpedExporter[T], error) {
	consumer, err := m.store.Consumer(uuid.New().String(), config.consumerOptions())
	if err != nil {
		return nil, err
	}
	return newPumpedExporter(config, consumer, m.logger)
}

// AddEvent hands an event to all exporters. It waits for none of them, whatever they do. The first event starts them,
// if Start has not. Events that come after Stop are counted and not exported.
func (m *managerImpl[T]) AddEvent(event T) {
	if !m.started.Load() {
		m.Start()
	}
	if !m.store.AppendFrom(&event) {
		m.refuse()
	}
}

func (m *managerImpl[T]) refuse() {
	m.refusal.Do(func() {
		m.logger.Warn("an event was added after Stop: such events are counted and not exported")
	})
}

// Start has the exporters begin, and returns. It may be called again, and does nothing after Stop.
func (m *managerImpl[T]) Start() {
	for _, consumer := range m.consumers {
		consumer.Start()
	}
	m.started.Store(true)
}

// Stop takes no more events, and exports what it has: to all exporters at the same time, so that none has to wait for
// another one. It returns when that is done, and after the longest StopTimeout at the latest. It may be called again.
func (m *managerImpl[T]) Stop() {
	m.store.Close()
	var stopping sync.WaitGroup
	for _, consumer := range m.consumers {
		stopping.Go(consumer.Stop)
	}
	stopping.Wait()
}
