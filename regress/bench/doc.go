// Package bench measures the benchmarks of the module in the folder bench, once an arm, and compares the arms.
//
// [Run] builds one test binary an arm and package, runs the benchmarks of all of them in rounds and writes a plain benchmark
// file: what `go test -bench` prints, with the key "arm" and the direction of the units added, so that benchstat reads it
// too (`benchstat -col arm FILE`). [Read] and [Results.Compare] make tables of such files: medians with the 95 % interval,
// the ratio to a base, and the p-value of the difference.
//
// # How it measures
//
// A machine is never the same for an hour. So every round runs every benchmark function on every arm once, each in a process
// of its own, in random order: what slows the machine down for a while slows all arms alike, and no arm always follows the
// same other one. A round counts as a whole: one that was cut short is not written.
//
// # Concurrency
//
// A Run call owns its processes and its temporary folder, and leaves neither behind, also when its context is cancelled.
// Should this process be killed, the benchmark that runs ends with its next line of output, and the next call removes the folder.
package bench
