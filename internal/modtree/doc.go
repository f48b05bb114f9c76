// Package modtree turns a released module into a fork folder, and keeps both honest.
//
// The way of a fork:
//
//  1. [Fetch] lets the go command download a release, recomputes the hashes of what lies in the module cache, and
//     compares them with the recorded ones. A warm cache believes its own notes, so nothing is taken on trust.
//  2. [NewTree] keeps what builds and tests need of it, lays changed files over that, and adds a notice, checksums
//     and a live marker. Identical inputs give identical bytes.
//  3. [Tree.Write] writes the tree aside; [Swap.Commit] puts it in place by renaming; [Swap.Undo] takes it back.
//  4. [Edited] tells later whether the folder still is what was written, [ReadMarker] whether a built binary carries
//     it, and the [Lock] beside the folder remembers what it was made from.
//
// # Concurrency
//
// The functions keep no state and may be called from several goroutines. A [Tree] does not change once it is made. A
// [Swap] belongs to one goroutine. Two programs that write the same folder at the same time do not delete each other's
// work in progress: the later one to commit wins or fails with an error.
package modtree
