package eventstore

import "context"

// flush is one caller of Flush.
type flush struct {
	goal   int64      // the offset below which everything is to be settled
	result chan error // has room for the one answer, so that a caller who has left holds nobody up
}

// Flush has everything handled that was appended before the call, and waits for it: it returns nil when all of that is handled
// or was dropped, the error of the first attempt that fails after the call, an error that wraps [ErrHung] if a call of
// the handler does not return, [ErrStopped] after Stop, or the context's error. It starts the pump if need be, and does not wait
// for a backoff to end. Calls at the same time share the work. What was not handled when it returns is handled later.
func (p *Pump[T]) Flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, end := p.consumer.progress()
	if !p.launch() {
		return ErrStopped
	}
	f := flush{goal: end, result: make(chan error, 1)}
	select {
	case p.flushes <- f:
	case <-p.done:
		return ErrStopped
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-f.result: // comes before the loop ends
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// admit takes a flush in.
func (l *loop[T]) admit(f flush) {
	if l.call.hung {
		f.result <- l.hungError()
		return
	}
	l.waiters = append(l.waiters, f)
	l.goal = max(l.goal, f.goal)
	l.retry = nil
}

// answer tells those who wait that their events are settled.
func (l *loop[T]) answer() {
	if len(l.waiters) == 0 {
		return
	}
	settled, _ := l.consumer.progress()
	var left []flush
	for _, f := range l.waiters {
		if f.goal <= settled {
			f.result <- nil
		} else {
			left = append(left, f)
		}
	}
	l.waiters = left
}

// answerAll tells everyone who waits of an error.
func (l *loop[T]) answerAll(err error) {
	for _, f := range l.waiters {
		f.result <- err
	}
	l.waiters = nil
}
