// Package eventstore is a log of events in memory that several consumers read, each at its own pace, and that whoever appends
// to it never waits for.
//
// When a consumer falls too far behind, the oldest events that wait for it are dropped for it alone, and counted; nothing
// else is ever lost, and nobody is slowed down. A [Store] takes the events, a [Consumer] is a cursor in it with three
// steps:
//
//	batch, ok := consumer.Fetch(1000)  // refers to the events, copies nothing
//	err := export(batch)               // holds no lock of the store
//	err = consumer.Commit(batch)       // the next fetch begins behind it
//
// and a [Pump] is the goroutine that takes these steps at an interval, at a threshold, on demand and at the end, with
// retries, deadlines and a Stop that comes back.
//
//	store, err := eventstore.New[Event](eventstore.Options{})
//	consumer, err := store.Consumer("s3", eventstore.ConsumerOptions{Threshold: 10_000})
//	pump, err := eventstore.NewPump(consumer, upload, eventstore.PumpOptions{Interval: time.Minute})
//	pump.Start()
//	defer pump.Stop(ctx)
//
//	store.Append(event) // on the request path
//
// # Promises
//
//   - Append never waits for a consumer, a handler, a flush, a clean-up or Stop.
//   - A consumer sees the events of one goroutine in the order in which it appended them.
//   - An event is handled at least once by each consumer, or counted as dropped for it; once, while handlers do not fail.
//   - A batch that was not committed is fetched again as it was: the same events, the same offsets.
//   - Memory is bounded by the lag of the slowest consumer, which is bounded, and a batch; what all have committed is out of reach.
//   - A slow, failing or hung consumer does not delay another one.
//   - Stop returns by the deadline of its context. All may be called twice, at the same time and in any order.
//   - Added = Handled + Dropped + InFlight + Waiting for each consumer, whenever [Store.Stats] is called.
//
// # Concurrency
//
// There is one lock in the store, which is held for a few assignments; a pump's state belongs to its goroutine. No lock is held
// while a handler runs or a line is logged.
package eventstore
