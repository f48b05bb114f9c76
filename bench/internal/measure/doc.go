// Package measure holds what the benchmarks of this module have in common: the event, a way to fill a queue that keeps the
// queue bounded and counts what comes out of it, and producers that call at a rate and record how long each call took.
//
// # Traps that it avoids
//
//   - A queue that is full drops, and dropping is fast. So queues are filled in chunks that fit, emptied off the clock, and
//     every benchmark reports which part of the events came out: delivered-%.
//   - The first touch of a page of memory may cost more than a hundred calls. So [Warm] touches the heap before.
//   - A producer that is made to wait calls less often, and so records few of the long waits. So [Offer] also counts the calls
//     that were due meanwhile, with what each of them would have waited.
package measure
