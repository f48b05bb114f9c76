// Package exporter is for services that use the plain go-feature-flag library, unpatched: [Async] takes the export of
// events off the goroutines that evaluate flags.
//
// The library, up to v1.52.1, holds a lock that every evaluation needs while an exporter runs, and in all versions it runs the
// exporter under whoever adds the event that fills a batch. An Async around the exporter returns at once:
//
//	async, err := exporter.NewAsync(&s3exporterv2.Exporter{Bucket: "flags"}, exporter.AsyncOptions{})
//	client, err := ffclient.New(ffclient.Config{
//		Retriever: retriever,
//		DataExporter: ffclient.DataExporter{
//			FlushInterval: time.Minute, MaxEventInMemory: 100_000, Exporter: async,
//		},
//	})
//	// at the end, in this order:
//	client.Close()
//	err = async.Stop(ctx) // ctx with a deadline
//
// Whatever has one of the library's three exporter interfaces can be inside, bulk or not. The library is told that it is
// bulk ([Async.IsBulk] says why), so an inner exporter that is not gets its events once a flush: give
// DataExporter.FlushInterval a second where the default minute is too long to wait.
//
// # Promises
//
//   - Export waits for nothing that an exporter or a logger does, and neither does an evaluation for its sake.
//   - The inner exporter is called by one goroutine, with the batches that Export was handed, in order.
//   - A batch that fails is tried again, the same events under the same [Batch], after a random wait that grows, and at least as
//     long as [eventstore.RetryAfter] asks. A call has a deadline; a panic is a failure.
//   - Nothing is exported twice that the inner exporter took once; nothing is lost but counted.
//   - Memory is bounded by MaxBatches and MaxEvents, beside the batch in flight. What exceeds them is dropped, oldest or newest
//     first.
//   - Stop exports what waits and returns by its deadline, with an error that says what is left.
//   - [Async.Stats] add up at any time: Added = Handled + Dropped + InFlight + Waiting.
//
// # Limits
//
//   - What waits is in memory: a process that is killed loses it. With exporter/spool inside that is little: what it cannot
//     send goes to disk, and waits no more.
//   - The library's own work stays: a flush copies what it flushes, under its lock in v1.52.1 and under the caller that reached
//     MaxEventInMemory. Only the patched library is free of that.
//   - A batch that fails for ever holds up all that come after it, unless MaxAttempts is set or, better, the inner exporter
//     sets events aside that it cannot export, as those of this module do.
//   - Go cannot end a function: while a call does not return, no other is made.
//
// Package exporter/s3 is an exporter to put inside, exporter/encode what it writes with, and exporter/spool keeps on disk what
// cannot be sent.
package exporter
