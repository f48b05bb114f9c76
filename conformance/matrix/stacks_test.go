package matrix

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/eventstore"
	"github.com/offlock/offlock/exporter"
	"github.com/offlock/offlock/exporter/spool"
)

// Times that only say how long a cell of the matrix takes: no assertion depends on them.
const (
	callTimeout = time.Second
	backoffBase = time.Millisecond
	backoffCap  = 10 * time.Millisecond
)

// stack is one way to export, on top of a sink. It is opened once a process; the folder outlives that.
type stack struct {
	name    string
	async   bool
	spooled bool
}

var stacks = []stack{
	{name: "called directly"},
	{name: "async", async: true},
	{name: "spool", spooled: true},
	{name: "async, spool", async: true, spooled: true},
}

// opened is a stack in use.
type opened struct {
	exporter ffexporter.Exporter
	async    *exporter.Async // nil if the stack has none
	spool    *spool.Spool    // likewise
	offset   int64
}

func (s stack) open(t *testing.T, sink ffexporter.Exporter, folder string) *opened {
	t.Helper()
	o := &opened{exporter: sink}
	if s.spooled {
		spooled, err := spool.New(o.exporter, spool.Options{
			Dir: folder, After: -1, Timeout: callTimeout, BackoffBase: backoffBase, BackoffCap: backoffCap, NoSync: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		o.exporter, o.spool = spooled, spooled
	}
	if s.async {
		async, err := exporter.NewAsync(o.exporter, exporter.AsyncOptions{
			MaxBatches: 2 * batches, Timeout: callTimeout, BackoffBase: backoffBase, BackoffCap: backoffCap,
		})
		if err != nil {
			t.Fatal(err)
		}
		o.exporter, o.async = async, async
	}
	return o
}

// export hands a batch over, again and again until it is taken, as the fork's pump does: with a name, and a deadline a call.
// An Async takes it the first time.
func (o *opened) export(t *testing.T, events []ffexporter.ExportableEvent) {
	t.Helper()
	batch := exporter.Batch{Instance: "caller", First: o.offset, Last: o.offset + int64(len(events)) - 1, Began: time.Now()}
	o.offset += int64(len(events))
	const most = 100
	var err error
	for batch.Attempt = 1; batch.Attempt <= most; batch.Attempt++ {
		if err = o.attempt(t, batch, events); err == nil {
			return
		}
		if o.async != nil {
			break
		}
	}
	t.Fatalf("the batch was not taken in %d attempts: %v", min(batch.Attempt, most), err)
}

func (o *opened) attempt(t *testing.T, batch exporter.Batch, events []ffexporter.ExportableEvent) (err error) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*callTimeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return o.exporter.Export(exporter.WithBatch(ctx, batch), nil, events)
}

func (o *opened) stop(ctx context.Context) error {
	var err error
	switch {
	case o.async != nil: // and with it the spool
		err = o.async.Stop(ctx)
	case o.spool != nil:
		err = o.spool.Stop(ctx)
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, eventstore.ErrHung) || errors.Is(err, exporter.ErrHung) {
		return nil // for the caller to see in the counts
	}
	return err
}
