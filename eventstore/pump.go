package eventstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// Defaults of [PumpOptions].
const (
	DefaultInterval    = time.Minute
	DefaultMaxBatch    = 100_000
	DefaultTimeout     = time.Minute // of one call of the handler
	DefaultBackoffBase = 100 * time.Millisecond
	DefaultBackoffCap  = 30 * time.Second
)

// Handler exports a batch. Nil means that the batch is done with; an error, a panic or an end of the goroutine means that the
// same batch is to be handled again, later. The context ends after the pump's Timeout and carries the [Attempt].
//
// A pump never calls its handler while an earlier call runs. A handler that does not return keeps its batch, so no
// other can be handed over; it must not call the pump's Flush or Stop, which wait for it.
type Handler[T any] func(ctx context.Context, batch Batch[T]) error

// PumpOptions are the settings of a [Pump]. The zero value stands for the defaults; a negative value is an error.
type PumpOptions struct {
	// Interval is how often all waiting events are handled. The first time comes after a random part of it, so that many
	// processes which start together do not export together. 0 is [DefaultInterval].
	Interval time.Duration
	// MaxBatch is the largest number of events that one call of the handler gets. 0 is [DefaultMaxBatch].
	MaxBatch int
	// Timeout is when the context of a call ends. A call that has not returned a tenth of it later, and at most 500 ms, is
	// abandoned: see [PumpStats.Hung]. 0 is [DefaultTimeout].
	Timeout time.Duration
	// BackoffBase bounds the wait before the first retry of a batch. The bound doubles with each further failure, up to
	// BackoffCap, and the wait is a random part of it. 0 is [DefaultBackoffBase], or the cap if that is less.
	BackoffBase time.Duration
	// BackoffCap is the largest bound. 0 is [DefaultBackoffCap], or the base if that is more; less than the base is an error.
	BackoffCap time.Duration
	// Logger is told of failures, panics, abandoned calls, drops and a Stop that gave up. It is called with no lock held, and
	// a Logger that blocks holds up this pump alone. Nil is no logging.
	Logger *slog.Logger
	// Rand returns a random number of at least 0 and below 1. A pump does not call it twice at the same time. Nil is
	// [rand.Float64].
	Rand func() float64
}

// complete returns the options with their defaults.
func (o PumpOptions) complete() (PumpOptions, error) {
	for _, setting := range []struct {
		name  string
		value time.Duration
	}{
		{"Interval", o.Interval},
		{"Timeout", o.Timeout},
		{"BackoffBase", o.BackoffBase},
		{"BackoffCap", o.BackoffCap},
	} {
		if setting.value < 0 {
			return o, fmt.Errorf("eventstore: %s is %v; use 0 for the default, or more", setting.name, setting.value)
		}
	}
	if o.MaxBatch < 0 {
		return o, fmt.Errorf("eventstore: MaxBatch is %d; use 0 for the default of %d, or more", o.MaxBatch, DefaultMaxBatch)
	}
	o.Interval = orDefault(o.Interval, DefaultInterval)
	o.MaxBatch = orDefault(o.MaxBatch, DefaultMaxBatch)
	o.Timeout = orDefault(o.Timeout, DefaultTimeout)
	switch {
	case o.BackoffBase == 0 && o.BackoffCap == 0:
		o.BackoffBase, o.BackoffCap = DefaultBackoffBase, DefaultBackoffCap
	case o.BackoffBase == 0:
		o.BackoffBase = min(DefaultBackoffBase, o.BackoffCap)
	case o.BackoffCap == 0:
		o.BackoffCap = max(DefaultBackoffCap, o.BackoffBase)
	}
	if o.BackoffCap < o.BackoffBase {
		return o, fmt.Errorf("eventstore: BackoffCap is %v; use at least the BackoffBase of %v", o.BackoffCap, o.BackoffBase)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	return o, nil
}

func orDefault[N int | time.Duration](value, standard N) N {
	if value == 0 {
		return standard
	}
	return value
}

// Errors of a pump that a caller may decide on.
var (
	// ErrStopped is returned by [Pump.Flush] after [Pump.Stop].
	ErrStopped = errors.New("eventstore: the pump was stopped")
	// ErrHung is wrapped by what [Pump.Flush] and [Pump.Stop] return while a call of the handler does not return.
	ErrHung = errors.New("eventstore: the handler does not return")
)

// Pump drives one consumer: it fetches a batch, has it handled, and commits it. Use [NewPump], at most once for a consumer,
// and leave the consumer's Fetch, Commit, Discard and Close to it. All methods may be called at the same time.
//
// Once it is started it handles
//   - everything that waits, at each interval, at Flush, at Stop, and when events begin to be dropped;
//   - one batch, when the consumer's threshold is reached, and another while that is so.
//
// One goroutine owns what a pump does, and each call of the handler has one to itself, so a handler that hangs takes
// nothing with it but its own consumer.
type Pump[T any] struct {
	consumer *Consumer[T]
	handler  Handler[T]
	options  PumpOptions

	// flushes and stops are received by the loop, which is never busy for longer than a line in the log takes.
	flushes chan flush
	stops   chan stop
	// alive is the parent of the contexts of all calls. It ends when Stop gives up.
	alive  context.Context
	giveUp context.CancelCauseFunc // the first cause counts
	// done is closed by the loop when it has ended. result is what Stop returns: written before that, read after it.
	done   chan struct{}
	result error

	// mu guards the fields below. It is held for assignments alone, and no other lock is taken under it.
	mu       sync.Mutex
	running  bool // the loop was started
	stopping bool // Stop was called
	counts   callCounts
}

// NewPump makes a pump. It starts nothing, and a pump that is not started needs no Stop.
func NewPump[T any](c *Consumer[T], handle Handler[T], o PumpOptions) (*Pump[T], error) {
	if c == nil {
		return nil, errors.New("eventstore: the consumer of a pump is nil; use one that Store.Consumer returned")
	}
	if handle == nil {
		return nil, fmt.Errorf("eventstore: the handler of consumer %q is nil; use a function that exports a batch", c.name)
	}
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	p := &Pump[T]{
		consumer: c, handler: handle, options: o,
		flushes: make(chan flush), stops: make(chan stop), done: make(chan struct{}),
	}
	p.alive, p.giveUp = context.WithCancelCause(context.Background())
	return p, nil
}

// Start starts the pump, whose goroutine runs until Stop. It may be called again; after Stop it does nothing.
func (p *Pump[T]) Start() { p.launch() }

// launch starts the loop if it does not run, and says whether the pump is in use: it is not after Stop.
func (p *Pump[T]) launch() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.stopping {
		p.launchLocked()
	}
	return !p.stopping
}

func (p *Pump[T]) launchLocked() {
	if !p.running {
		p.running = true
		go p.loop()
	}
}
