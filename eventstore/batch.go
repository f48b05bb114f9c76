package eventstore

import "iter"

// Batch is a run of events as a consumer was handed them: it refers to the store's segments and copies nothing. The zero
// value is an empty batch.
//
// The events are to be read only, and until the batch is committed or discarded: after that their memory is used again.
// Any number of goroutines may read one batch.
type Batch[T any] struct {
	first, end int64
	seg        *segment[T] // holds first
}

// First is the offset of the first event.
func (b Batch[T]) First() int64 { return b.first }

// Last is the offset of the last event.
func (b Batch[T]) Last() int64 { return b.end - 1 }

// Len is the number of events.
func (b Batch[T]) Len() int { return int(b.end - b.first) }

// Segments yields the events in order, in the slices that they are stored in.
func (b Batch[T]) Segments() iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for g := b.seg; g != nil && g.base < b.end; g = g.next.Load() {
			from, to := max(b.first, g.base), min(b.end, g.end)
			if from < to && !yield(g.items[from-g.base:to-g.base:to-g.base]) {
				return
			}
			if g.end >= b.end {
				return // the next segment is not the batch's to read
			}
		}
	}
}

// All yields the events in order.
func (b Batch[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for events := range b.Segments() {
			for i := range events {
				if !yield(events[i]) {
					return
				}
			}
		}
	}
}

// AppendTo appends copies of the events to dst, which the caller may keep.
func (b Batch[T]) AppendTo(dst []T) []T {
	for events := range b.Segments() {
		dst = append(dst, events...)
	}
	return dst
}
