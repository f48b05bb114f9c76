package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/offlock/offlock/exporter"
	"github.com/offlock/offlock/exporter/spool"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// outlet is one way out for the events: an exporter of the library, and with ASYNC_EXPORT what this module puts around it.
// What the library is given then is Async, which exports through the spool, if there is one, to the sink.
type outlet struct {
	name  string
	sink  *counter
	disk  *spool.Spool    // nil without SPOOL_DIR, and for the exporter that hangs
	async *exporter.Async // nil without ASYNC_EXPORT
	dir   string          // SPOOL_DIR
	left  atomic.Int64    // events on disk, once the spool has stopped
}

// maxBatches leaves the bound to Async's number of events: with a small MAX_EVENTS_IN_MEMORY its ten batches are full in no time.
const maxBatches = 10_000

// newOutlets are those of the service, in the order in which the library gets them. They start nothing yet.
func newOutlets(cfg config, logger *slog.Logger) ([]*outlet, error) {
	var all []*outlet
	for _, name := range exporterNames(cfg) {
		target, err := newExporter(cfg, name)
		if err != nil {
			return nil, err
		}
		o := &outlet{name: name, sink: &counter{Exporter: target}}
		all = append(all, o)
		if !cfg.async {
			continue
		}
		var next ffexporter.Exporter = o.sink
		if cfg.spoolDir != "" && name == s3Exporter {
			o.dir = cfg.spoolDir
			o.disk, err = spool.New(o.sink, spool.Options{Dir: cfg.spoolDir, After: cfg.spoolAfter, Logger: logger})
			if err != nil {
				return nil, err
			}
			next = o.disk
		}
		if o.async, err = exporter.NewAsync(next, exporter.AsyncOptions{MaxBatches: maxBatches, Logger: logger}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// exporter is what the library is given.
func (o *outlet) exporter() ffexporter.Exporter {
	if o.async == nil {
		return o.sink
	}
	return o.async
}

// start begins to send what an earlier process left on disk.
func (o *outlet) start() {
	if o.disk != nil {
		o.disk.Start()
	}
}

// stop exports what waits, by ctx's deadline, or leaves it on disk. The library must have been closed, so that nothing comes
// any more.
func (o *outlet) stop(ctx context.Context) error {
	if o.async == nil {
		return nil
	}
	err := o.async.Stop(ctx) // stops the spool too
	if o.disk == nil {
		return err
	}
	left, failed := onDisk(o.dir)
	o.left.Store(left)
	return errors.Join(err, failed)
}

// stopAll stops all outlets at once, so that one that hangs takes no time from the others, and logs what it could not do.
func stopAll(ctx context.Context, outlets []*outlet, logger *slog.Logger) {
	var stopping sync.WaitGroup
	for _, o := range outlets {
		stopping.Go(func() {
			if err := o.stop(ctx); err != nil {
				logger.Error("an exporter was not stopped in time", "exporter", o.name, "error", err)
			}
		})
	}
	stopping.Wait()
}

// account is what became of the events of the outlet; only with ASYNC_EXPORT.
func (o *outlet) account() account {
	s := o.async.Stats()
	a := account{
		Exporter: o.name,
		Added:    s.Events.Added + s.RefusedEvents,
		Exported: o.sink.events.Load(),
		Dropped:  s.Events.Dropped + s.RefusedEvents,
		Pending:  s.Events.Lag(),
		Hung:     s.Hung,
	}
	if o.disk != nil {
		d := o.disk.Stats()
		a.Dropped += d.DroppedEvents
		a.Pending += d.Events + o.left.Load()
		a.Spooled = d.Spooled
	}
	return a
}

// counter is an exporter that counts the events that it has exported.
type counter struct {
	ffexporter.Exporter
	events atomic.Int64
}

// Export counts the events if the exporter takes them.
func (c *counter) Export(ctx context.Context, logger *fflog.FFLogger, events []ffexporter.ExportableEvent) error {
	err := c.Exporter.Export(ctx, logger, events)
	if err == nil {
		c.events.Add(int64(len(events)))
	}
	return err
}

// lookBound is far more than it takes to look through a folder.
const lookBound = 10 * time.Second

// onDisk counts the events in a spool's folder that no process holds, by the eyes of another spool whose sink takes none.
func onDisk(dir string) (events int64, err error) {
	s, err := spool.New(closedSink{}, spool.Options{Dir: dir})
	if err != nil {
		return 0, err
	}
	s.Start()
	events = s.Stats().Events
	ctx, cancel := context.WithTimeout(context.Background(), lookBound)
	defer cancel()
	return events, s.Stop(ctx)
}

// closedSink takes nothing.
type closedSink struct{}

func (closedSink) IsBulk() bool { return true }

func (closedSink) Export(context.Context, *fflog.FFLogger, []ffexporter.ExportableEvent) error {
	return errors.New("nothing is exported any more")
}
