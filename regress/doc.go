// Package regress proves what the fork and the exporters of this module promise, on a real service under load.
//
// [Prove] builds one service once an arm (an upstream release, one with patches of the series, or one with this module's
// exporters, which has the binary of the plain release), lets each built binary prove which library it holds, and drives it
// through scenarios in which the sink of its events is slow, fails or hangs. What comes back is a [Report]: latencies, what
// became of every event, by what the sink holds and by what the library counts, goroutines, memory, and one verdict a promise.
//
// # How it measures
//
// The load is open loop: the arrival of every request is fixed before the run, and a latency counts from that arrival,
// not from the moment at which the request could be sent. A service that stops for a second therefore shows a second, in
// every request that arrived meanwhile. After the schedule every outstanding request is awaited, up to a bound; one that
// has no answer then is counted, and its arm does not pass.
//
// Every event carries a user key of its own, so that after the service has stopped the objects in the bucket tell for
// each accepted event how often it was stored, and in what order. The service reads the counts of a library that counts, and
// reports them as it stops. What a service has left on disk then, a second process sends, without load, before the objects are
// counted.
//
// Beside the requests that make events, as many go to an endpoint that does the same work without the library. They tell
// what the machine does to any request of that process at that time.
//
// Arms take turns within a scenario, and the order rotates, so that no arm always has the quiet moment of the machine.
// Verdicts compare figures of the same run and never absolute times.
//
// # Concurrency
//
// A Prove call owns its processes and its temporary folder, and leaves neither behind, also when its context is
// cancelled. Should this process be killed, they end by themselves, and the next call removes the folder. Calls share
// nothing and may overlap, though they then disturb each other's figures.
package regress
