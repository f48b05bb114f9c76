//go:build ignore

package exporter

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/thomaspoignant/go-feature-flag/internal/eventstore"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// pumpedExporter is a DataExporter of which a pump is in charge: it exports at every interval, when MaxEventInMemory
// events wait (or one, if the exporter is not bulk), at a Flush and at Stop, one batch at a time, and tries a batch
// again that failed. Nothing starts before Start or Flush. All methods may be called concurrently, in any order and
// more than once.
type pumpedExporter[T ExportableEvent] struct {
	dataExporterImpl[T] // for what does not touch its store: it has none
	pump                *eventstore.Pump[T]
	stopError           atomic.Pointer[error] // of the first Stop that could not export everything
}

var _ DataExporter[FeatureEvent] = (*pumpedExporter[FeatureEvent])(nil)

// newPumpedExporter takes over a consumer. The configuration is a completed one, so an error is not the user's.
func newPumpedExporter[T ExportableEvent](config Config, consumer *eventstore.Consumer[T], logger *fflog.FFLogger,
) (*pumpedExporter[T], error) {
	p := &pumpedExporter[T]{
		dataExporterImpl: dataExporterImpl[T]{consumerID: consumer.Name(), exporter: config, logger: logger},
	}
	if err := consumer.Configure(config.consumerOptions()); err != nil {
		return nil, err
	}
	var err error
	p.pump, err = eventstore.NewPump(consumer, p.export, eventstore.PumpOptions{
		Interval: config.FlushInterval,
		MaxBatch: int(config.batchSize()),
		Timeout:  config.ExportTimeout,
		Logger:   pumpLogger(logger, config.Exporter),
		Rand:     unspread(config.FlushInterval),
	})
	return p, err
}

// unspread returns the random numbers of a pump whose first flush comes after a whole interval, for an interval so
// short that it cannot be meant for a fleet of processes that would flush in step; else nil, for numbers that spread
// the first flush.
func unspread(interval time.Duration) func() float64 {
	if interval >= time.Second {
		return nil
	}
	drawn := false
	return func() float64 {
		if !drawn { // the first number is for the phase, all others are for the waits between attempts
			drawn = true
			return 0
		}
		return rand.Float64() //nolint:gosec // it spreads attempts, and keeps no secret
	}
}

// Start launches the pump and returns.
func (p *pumpedExporter[T]) Start() { p.pump.Start() }

// Flush exports what was added before the call. It returns when that is done, or when an Export has failed or has not
// returned by its deadline: then the events are tried again later.
func (p *pumpedExporter[T]) Flush() {
	_ = p.pump.Flush(context.Background()) // the pump logs what fails
}

// Stop exports what is left, and returns when that is done, or after the configured StopTimeout. Nothing is exported
// later.
func (p *pumpedExporter[T]) Stop() {
	ctx, cancel := context.WithTimeout(context.Background(), p.exporter.StopTimeout)
	defer cancel()
	if err := p.pump.Stop(ctx); err != nil { // which the pump logs
		p.stopError.CompareAndSwap(nil, &err)
	}
}

// export hands a batch over. The slice is the exporter's to keep, the batch is not.
func (p *pumpedExporter[T]) export(ctx context.Context, batch eventstore.Batch[T]) error {
	current, ok := p.exporter.Exporter.(Exporter)
	if !ok {
		return p.sendEvents(ctx, batch.AppendTo(make([]T, 0, batch.Len())))
	}
	events := make([]ExportableEvent, 0, batch.Len())
	for segment := range batch.Segments() {
		for i := range segment {
			events = append(events, segment[i])
		}
	}
	if err := current.Export(ctx, p.logger, events); err != nil {
		return fmt.Errorf("error while exporting data: %w", err)
	}
	return nil
}

// stats reports on the exporter.
func (p *pumpedExporter[T]) stats() ConsumerStats {
	s := p.pump.Stats()
	stats := ConsumerStats{
		ConsumerID: p.consumerID,
		Exporter:   fmt.Sprintf("%T", p.exporter.Exporter),
		Added:      s.Added,
		Exported:   s.Handled,
		Dropped:    s.Dropped,
		InFlight:   s.InFlight,
		Waiting:    s.Waiting,
		Calls:      s.Calls,
		Failures:   s.Failures,
		Panics:     s.Panics,
		Abandoned:  s.Abandoned,
		Hung:       s.Hung,
		LastError:  s.LastError,
	}
	if err := p.stopError.Load(); err != nil {
		stats.StopError = *err
	}
	return stats
}
