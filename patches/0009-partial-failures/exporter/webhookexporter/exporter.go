//go:build ignore

package webhookexporter

import "github.com/thomaspoignant/go-feature-flag/exporter"

//offlock:replace Exporter.Export bf97d9f46202
func _() {
	delivery := exporter.DeliveryFrom(ctx)
	pending := newBatch(events).without(delivery)
	if len(pending.events) < len(events) && len(pending.events) == 0 {
		return nil
	}
	err := f.deliver(ctx, pending, refused)
}

//offlock:after Exporter.Export fd57dcf8ed45
func _() {
	delivery.Add(i)
}

//offlock:before Exporter.deliver 57ec31191cab
func _() {
	if err == nil {
		exporter.DeliveryFrom(ctx).Add(b.places...)
	}
}

// without returns the batch without the events that need not be sent any more.
func (b batch) without(delivery *exporter.Delivery) batch {
	pending := batch{events: make([]exporter.ExportableEvent, 0, len(b.events))}
	for i, place := range b.places {
		if !delivery.Done(place) {
			pending.events, pending.places = append(pending.events, b.events[i]), append(pending.places, place)
		}
	}
	return pending
}
