//go:build ignore

package exporter

import (
	"context"
	"sync"
)

// Delivery knows which events of a batch need not be sent any more, so that another attempt leaves them out: the sink
// has taken them, or they were set aside. Its methods may be called concurrently.
type Delivery struct {
	mutex       sync.Mutex // guards all fields
	first, last int64      // the batch
	done        map[int]struct{}
}

// DeliveryFrom returns what earlier attempts have delivered of the batch that an Export was given. An Exporter that
// sends its events in more than one request leaves out those that are done, and adds those that the sink takes.
//
// A Manager keeps it until the batch is exported. An Export that was not called for a Manager gets a new one.
func DeliveryFrom(ctx context.Context) *Delivery {
	if ctx != nil {
		if d, ok := ctx.Value(deliveryKey{}).(*Delivery); ok {
			return d
		}
	}
	return &Delivery{}
}

// Done tells whether an event need not be sent any more. Its index is its place among those that the Export was
// given.
func (d *Delivery) Done(index int) bool {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	_, done := d.done[index]
	return done
}

// Add notes that events need not be sent any more.
func (d *Delivery) Add(indexes ...int) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.done == nil {
		d.done = make(map[int]struct{})
	}
	for _, index := range indexes {
		d.done[index] = struct{}{}
	}
}

type deliveryKey struct{}

// in puts it into the context of an Export, where DeliveryFrom finds it. With another batch it begins anew.
func (d *Delivery) in(ctx context.Context) context.Context {
	attempt, _ := AttemptFrom(ctx)
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.first != attempt.First || d.last != attempt.Last {
		d.first, d.last, d.done = attempt.First, attempt.Last, nil
	}
	return context.WithValue(ctx, deliveryKey{}, d)
}

// forget frees the memory when a batch is exported.
func (d *Delivery) forget() {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.done = nil
}
