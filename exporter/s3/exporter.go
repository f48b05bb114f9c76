package s3

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"

	"github.com/offlock/offlock/eventstore"
	"github.com/offlock/offlock/exporter"
	"github.com/offlock/offlock/exporter/encode"
)

var _ ffexporter.Exporter = (*Exporter)(nil)

// Exporter uploads each batch of events as an object. Use New. All methods may be called at the same time.
type Exporter struct {
	options Options
	names   *namer
	ledger  *ledger
	client  *starter
	counts  counts
}

// New makes an exporter, or says what is wrong with the options. It makes no request: that the bucket and the credentials are
// right shows at the first Export.
func New(o Options) (*Exporter, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	names, err := newNamer(o)
	if err != nil {
		return nil, err
	}
	e := &Exporter{options: o, names: names, ledger: newLedger(o.Instance)}
	e.client = newStarter(o, &e.counts.requests)
	return e, nil
}

// IsBulk says that the library should collect events and hand them over as batches.
func (e *Exporter) IsBulk() bool { return true }

// Export stores the events as one object, and returns nil when that is done. After an error the batch may be handed over again,
// and has the same name then, if it carries an exporter.Batch in its context or has not changed. An error that wraps
// eventstore.RetryAfter says when.
func (e *Exporter) Export(ctx context.Context, logger *fflog.FFLogger, events []ffexporter.ExportableEvent) error {
	if len(events) == 0 {
		return nil
	}
	if ctx == nil { // the library did that once, and its own exporter takes it
		ctx = context.Background()
	}
	ctx, cancel := e.bound(ctx)
	defer cancel()

	batch, named := exporter.BatchFrom(ctx)
	if !named {
		batch = e.ledger.identify(events)
	}
	err := e.store(ctx, logger, batch, events)
	if err == nil {
		e.ledger.settle(batch)
		return nil
	}
	e.counts.failures.Add(1)
	if !named {
		e.ledger.remember(events, batch)
	}
	if wait := retryAfter(err); wait > 0 {
		err = eventstore.RetryAfter(err, wait)
	}
	return err
}

// bound ends the context early enough for what was begun to be aborted before the caller's own deadline.
func (e *Exporter) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	left := e.options.Timeout
	if deadline, ok := ctx.Deadline(); ok {
		left = min(left, time.Until(deadline))
	}
	return context.WithTimeout(ctx, left-min(left/10, abortGrace))
}

// store uploads the batch, under another name if its own was taken.
func (e *Exporter) store(ctx context.Context, logger *fflog.FFLogger, batch exporter.Batch, events []ffexporter.ExportableEvent) error {
	client, err := e.client.get(ctx)
	if err != nil {
		return err
	}
	for {
		mark := e.ledger.mark(batch)
		key, err := e.names.key(batch, mark)
		if err != nil {
			return err
		}
		u := &upload{exporter: e, client: client, key: key}
		refused, err := u.run(ctx, events)
		switch {
		case err == nil:
			if stored := len(events) - len(refused); stored > 0 {
				e.counts.stored(u, stored)
				logger.Info("[S3Exporter] object stored", slog.String("bucket", e.options.Bucket), slog.String("key", key))
			}
		case !e.options.IfNoneMatch || status(err) != http.StatusPreconditionFailed:
			return fmt.Errorf("s3: storing %s in bucket %s: %w", key, e.options.Bucket, err)
		case batch.Attempt > 1 || u.stores > 1: // an earlier attempt stored it, and its answer got lost
			e.counts.existing.Add(1)
			e.counts.stored(u, len(events)-len(refused))
			logger.Info("[S3Exporter] object was stored before", slog.String("bucket", e.options.Bucket), slog.String("key", key))
		case mark != "": // nobody else has drawn the same, so the server refuses every name
			return fmt.Errorf("s3: storing %s in bucket %s: no name is free: %w", key, e.options.Bucket, err)
		default:
			logger.Warn("[S3Exporter] another object has the name of this batch, which gets another one: is Instance given twice?",
				slog.String("bucket", e.options.Bucket), slog.String("key", key))
			e.ledger.remark(batch)
			continue
		}
		e.report(logger, refused)
		return nil
	}
}

// report tells of events that were set aside, once their batch has left.
func (e *Exporter) report(logger *fflog.FFLogger, refused []encode.Refused) {
	if len(refused) == 0 {
		return
	}
	e.counts.refused.Add(int64(len(refused)))
	logger.Error("[S3Exporter] events that cannot be encoded were set aside; the others of the batch are stored",
		slog.Int("events", len(refused)), slog.Any("first", refused[0].Err))
	if e.options.OnRefused == nil {
		return
	}
	defer func() { // the batch is stored: a panic of somebody else's is not to have it sent again
		if value := recover(); value != nil {
			logger.Error("[S3Exporter] OnRefused panicked", slog.Any("panic", value), slog.String("stack", string(debug.Stack())))
		}
	}()
	for _, r := range refused {
		e.options.OnRefused(r)
	}
}
