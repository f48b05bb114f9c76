//go:build !race

package eventstore

const raceEnabled = false
