//go:build race

package jsonline

// Under the race detector a pool drops some of what it is given.
const raceEnabled = true
