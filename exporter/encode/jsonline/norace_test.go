//go:build !race

package jsonline

const raceEnabled = false
