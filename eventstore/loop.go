package eventstore

import (
	"context"
	"log/slog"
	"time"
)

// loop is what the goroutine of a pump knows. Nobody else reads or writes any of it, so there is nothing to lock.
type loop[T any] struct {
	*Pump[T]
	ticker  *time.Ticker
	ticking bool // the first tick, at a random phase, is over

	goal    int64 // everything below is to be settled
	once    bool  // one batch is to be handled, if there is one
	waiters []flush

	batch  Batch[T]         // the one in flight, or empty
	failed int              // failed attempts of the batch
	began  time.Time        // its first attempt
	retry  <-chan time.Time // set while a backoff runs

	call    call  // the call that runs
	outcome error // of the last one that returned

	stop  stopping
	drops burst
}

// loop is the goroutine of a pump: until Stop it fetches, has handled, and commits.
func (p *Pump[T]) loop() {
	l := &loop[T]{Pump: p}
	// Rand is below 1, so the phase is above 0 and at most the interval.
	phase := p.options.Interval - time.Duration(p.options.Rand()*float64(p.options.Interval))
	l.ticker = time.NewTicker(max(phase, 1))
	defer l.ticker.Stop()
	for l.idle() {
		if !l.fetch() {
			continue
		}
		returned, err := l.handle()
		switch {
		case !returned:
			continue // idle finds that the pump gave up
		case err != nil:
			l.fail(err)
		default:
			l.commit()
		}
	}
	l.finish()
}

// idle waits until there is something to fetch, and returns false when the pump is to end.
func (l *loop[T]) idle() bool {
	for {
		settled, _ := l.consumer.progress()
		switch {
		case l.alive.Err() != nil, l.stop.over(settled >= l.goal):
			return false
		case l.retry == nil && (l.once || settled < l.goal):
			return true
		}
		l.wait()
	}
}

// wait waits for the next thing to happen. All that a pump waits for is here.
func (l *loop[T]) wait() {
	select {
	case <-l.consumer.Due():
		l.once = true
	case <-l.consumer.store.low:
		l.consumer.store.restock()
	case <-l.ticker.C:
		l.tick()
	case f := <-l.flushes:
		l.admit(f)
	case s := <-l.stops:
		l.admitStop(s)
	case <-l.stop.limit:
		l.limitReached()
	case <-l.retry:
		l.retry = nil
	case <-l.call.overdue:
		l.abandon()
	case err := <-l.call.returned:
		l.returned(err)
	case <-l.alive.Done():
	}
	l.watchDrops()
	l.answer()
}

// tick is what is done at each interval.
func (l *loop[T]) tick() {
	if !l.ticking {
		l.ticking = true
		l.ticker.Reset(l.options.Interval)
	}
	l.consumer.store.Trim()
	l.endBurst(false)
	l.all()
}

// all sets the goal to everything that is stored now. During Stop it stays, so that producers who go on cannot move it.
func (l *loop[T]) all() {
	if !l.stop.wanted {
		_, l.goal = l.consumer.progress()
	}
}

// fetch makes a batch the one in flight: the one that failed, or a new one.
func (l *loop[T]) fetch() bool {
	select {
	case <-l.consumer.Due(): // this batch is what it asks for; if it leaves a threshold behind, its commit rings again
		l.watchDrops()
	default:
	}
	batch, ok := l.consumer.Fetch(l.options.MaxBatch)
	if !ok {
		l.once = false
		return false
	}
	if batch != l.batch {
		l.batch, l.failed, l.began = batch, 0, time.Now()
	}
	return true
}

// commit settles the batch, which was handled.
func (l *loop[T]) commit() {
	if err := l.consumer.Commit(l.batch); err != nil {
		l.log(l.batch).Error("eventstore: somebody else settled a batch of the pump's consumer", "error", err)
	}
	l.batch, l.once = Batch[T]{}, false
	l.answer()
}

// fail keeps the batch in flight, to be handed over again after a while.
func (l *loop[T]) fail(err error) {
	l.failed++
	wait := l.options.backoff(l.failed, err)
	l.retry = time.After(wait)
	l.answerAll(err)
	level := slog.LevelWarn
	if _, ok := err.(*PanicError); ok {
		level = slog.LevelError
	}
	l.log(l.batch).Log(context.Background(), level, "eventstore: a batch was not handled",
		append(failure(err), "attempt", l.failed, "wait", wait)...)
}
