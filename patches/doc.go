// Package patches holds offlock's series: changes to go-feature-flag that are written as declarations of our own, and the
// engine that puts them into upstream's tree.
//
// A patch never quotes upstream. It names what it changes (a declaration, a struct's fields, one statement of a function) and
// carries the text that takes its place. docs/patches.md describes the format for whoever writes one.
//
// What a patch names is pinned by fingerprints, recorded for each upstream release under bases/. [Series.Apply] compares them
// before it touches anything, so a declaration that upstream has changed since is refused ([DriftError]), never overwritten.
//
// The steps of use are [Embedded] (or [Load] for a series under work), then [Series.Status] to look or [Series.Apply] to get
// the changed files. Both only read the given tree, keep no state between calls, and may be called concurrently.
package patches
