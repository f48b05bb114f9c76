//go:build eventstore_locktime

package eventstore

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// BenchmarkLockHeld reports for how long a call holds the store's mutex, by how much is stored: the 99th percentile of
// each kind of call, and of Append the 99.9th, because one in a segment is a rare one. The slowest calls of a shared machine
// are its pauses, which hit a call that holds a mutex like any other.
func BenchmarkLockHeld(b *testing.B) {
	for _, stored := range []int{1_000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("stored=%d", stored), func(b *testing.B) {
			var longest float64
			for b.Loop() {
				held := holds(b, stored)
				for kind, times := range held {
					slices.Sort(times)
					at := len(times) * 99 / 100
					if kind == "append" {
						at = len(times) * 999 / 1000
					}
					b.ReportMetric(float64(times[at].Nanoseconds()), kind+"-held-ns")
					longest = max(longest, float64(times[at].Nanoseconds()))
				}
			}
			b.ReportMetric(longest, "held-ns")
		})
	}
}

// holds runs 1000 rounds on a store that holds so many events: one consumer that is behind by all of them fetches and
// commits its oldest thousand, one that keeps up takes everything, and as much is appended again.
func holds(b *testing.B, stored int) map[string][]time.Duration {
	type event [19]uint64
	s, err := New[event](Options{})
	if err != nil {
		b.Fatal(err)
	}
	behind, errBehind := s.Consumer("behind", ConsumerOptions{MaxLag: 10 * stored})
	ahead, errAhead := s.Consumer("ahead", ConsumerOptions{MaxLag: 10 * stored})
	if errBehind != nil || errAhead != nil {
		b.Fatal(errBehind, errAhead)
	}
	for range stored {
		s.Append(event{})
	}
	held := map[string][]time.Duration{}
	s.mu.takeLongest()
	note := func(kind string) { held[kind] = append(held[kind], s.mu.takeLongest()) }
	turn := func(c *Consumer[event], limit int) {
		batch, ok := c.Fetch(limit)
		note("fetch")
		if !ok || c.Commit(batch) != nil {
			b.Fatal("nothing to fetch, or not to commit")
		}
		note("commit")
	}
	for range 1000 {
		turn(behind, 1000)
		for range 1000 {
			s.Append(event{})
			note("append")
		}
		turn(ahead, 0)
		s.Trim()
		note("trim")
		s.Stats()
		note("stats")
	}
	return held
}
