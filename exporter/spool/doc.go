// Package spool keeps the batches of a go-feature-flag exporter on disk while their sink is down, and over restarts.
//
// For whom: a service whose events must outlive an outage that is longer than its memory is large, or the end of its process.
// It works with the plain library and with the fork, by itself or under [exporter.Async]:
//
//	disk, err := spool.New(&s3.Exporter{…}, spool.Options{Dir: "/var/lib/app/events"})
//	async, err := exporter.NewAsync(disk, exporter.AsyncOptions{BackoffCap: 5 * time.Second})
//	// hand async to the library; at the end close the library's client, then async.Stop(ctx), which stops disk, too
//
// # What it promises
//
//   - Export acknowledges a batch, by returning nil, when the inner exporter has taken it or when it is on disk, whole, under
//     its final name. What was acknowledged is not lost when the process ends, by SIGKILL too, at any moment. With fsync, which
//     is the default, it is not lost when the machine stops.
//   - Batches from disk are sent oldest first, by one goroutine, with a backoff. While some wait, new ones line up behind
//     them on disk. So the sink gets the batches of one caller in the order in which that caller handed them over.
//   - A batch keeps its [exporter.Batch], in the next process too: an object that is named after it is replaced, not repeated.
//   - A batch is sent, then its file is removed. A process that is killed between the two sends one batch again, and that is
//     the only one that comes twice: delivery is at least once, and exactly once under a name. (When the machine stops, the
//     removals of the last seconds may be undone, and those batches come again under their names.)
//   - What waits is bounded in bytes and in age. Past either the oldest are dropped, counted, and logged once a burst.
//   - Several processes may share the folder. Each writes to a folder of its own in it, which it holds a lock on; the lock
//     ends with the process, and another one then takes the folder over, at its start or within a minute. So a batch has one
//     owner at any time: none is sent by two, none is forgotten.
//   - A file that is torn, damaged or foreign is moved to the folder "aside", counted and logged, and holds nothing up. It is
//     kept there until somebody removes it, and does not count towards MaxBytes.
//   - A disk that is full, read-only or gone is an error of Export: the batch is not acknowledged, and its caller has it still.
//
// # Limits
//
//   - Feature and tracking events of the library alone can be written to disk; see [UnsupportedError].
//   - Of the values in an event, nil, booleans, texts, numbers of all kinds, lists and maps with text keys keep their types; other
//     values keep what is written of them, as JSON and as text: exporters write the same, but a template can no longer
//     call methods or select fields of them.
//   - A batch is in memory as a whole while it is written and while it is sent.
//   - Batches of processes that share a folder are in order for each process, not between them, and need one sink.
//   - A batch that its sink never takes holds up those behind it until MaxAge or MaxBytes drops it. Exporters of this module
//     set aside the events that no sink would take; wrap others that do not.
//   - The file system must have locks (flock, or LockFileEx on Windows) and atomic renames. Local disks have; some network file
//     systems do not.
//   - Without [exporter.Async] around it, the plain library calls Export with no [exporter.Batch], and after an error with a batch that
//     has grown. Each call is then a batch of its own, under a name that the spool makes.
//   - What an earlier process left is found by Start, which Export calls, not by New.
package spool
