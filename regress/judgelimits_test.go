package regress

import "testing"

func TestMostPending(t *testing.T) {
	for maxEvents, want := range map[int]int64{
		1:         1000 + 1000, // the least that may wait, and all of it in one batch
		100:       1000 + 1000,
		500:       5000 + 5000,
		5000:      50_000 + 10_000, // the largest batch
		100_000:   1_000_000 + 100_000,
		1_000_000: 10_000_000 + 1_000_000,
	} {
		if got := mostPending(maxEvents); got != want {
			t.Errorf("%d: %d, want %d", maxEvents, got, want)
		}
	}
}

func TestMemory(t *testing.T) {
	of := func(change func(*ArmResult)) func(*Report) { return in(outageLongName, change) }
	checkJudge(t, "P5", []string{outageLongName}, []judgement{
		{"no yardstick", without(crowdName), Undecided},
		{"a yardstick that was not measured", in(crowdName, func(a *ArmResult) { a.Peak.MemoryMB = 0 }), Undecided},
		{"as many pending as may", of(func(a *ArmResult) { a.Accounts[0].PeakPending = mostPending(crowded) }), Pass},
		{"one more", of(func(a *ArmResult) { a.Accounts[0].PeakPending = mostPending(crowded) + 1 }), Fail},
		{"half as much memory again", of(func(a *ArmResult) { a.Peak.MemoryMB = 60 }), Pass},
		{"more", of(func(a *ArmResult) { a.Peak.MemoryMB = 61 }), Undecided},
		{"three times", of(func(a *ArmResult) { a.Peak.MemoryMB = 121 }), Fail},
		{"three times, and nothing dropped", of(func(a *ArmResult) { a.Peak.MemoryMB, a.Accounts[0].Dropped = 121, 0 }), Fail},
		{"nothing dropped", of(func(a *ArmResult) { a.Accounts[0].Dropped = 0 }), Undecided},
		{"no counts", of(func(a *ArmResult) { a.Accounts = nil }), Undecided},
	})
}

func TestNeighbour(t *testing.T) {
	of := func(change func(*ArmResult)) func(*Report) { return in(hungName, change) }
	checkJudge(t, "P6", []string{hungName}, []judgement{
		{"a lost event", of(func(a *ArmResult) { a.Events.Lost = 1 }), Fail},
		{"a repeated event", of(func(a *ArmResult) { a.Events.Repeated = 1 }), Fail},
		{"a request that was not accepted", of(func(a *ArmResult) { a.Events.Refused = 1 }), Fail},
		{"no counts", of(func(a *ArmResult) { a.Accounts = nil }), Undecided},
		{"no hung exporter", of(func(a *ArmResult) { a.Accounts = a.Accounts[:1] }), Undecided},
		{"one that did not hang", of(func(a *ArmResult) { a.Accounts[1].Hung = false }), Undecided},
		{"one that exported", of(func(a *ArmResult) { a.Accounts[1].Exported = 1 }), Undecided},
		{"nothing accepted", of(func(a *ArmResult) { a.Events = Events{} }), Undecided},
	})
}

func TestStop(t *testing.T) {
	of := func(change func(*ArmResult)) func(*Report) { return in(hungName, change) }
	checkJudge(t, "P7", []string{hungName}, []judgement{
		{"it did not end", of(func(a *ArmResult) { a.Stop.Clean = false }), Fail},
		{"twice the limit", of(func(a *ArmResult) { a.Stop.CloseMs = 4000 }), Pass},
		{"later", of(func(a *ArmResult) { a.Stop.CloseMs = 4001 }), Undecided},
		{"no hung exporter", of(func(a *ArmResult) { a.Accounts[1].Hung = false }), Undecided},
		{"no counts", of(func(a *ArmResult) { a.Accounts = nil }), Undecided},
	})
}
