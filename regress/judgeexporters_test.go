package regress

import "testing"

func TestExporters(t *testing.T) {
	in := func(scenario string, change func(a *ArmResult)) func(*Report) {
		return of(exportersName, scenario, change)
	}
	checkJudge(t, "E1", counted, []judgement{
		{"a lost event", in("jitter", func(a *ArmResult) { a.Events.Lost = 1 }), Fail},
		{"a repeated event", in(outageName, func(a *ArmResult) { a.Events.Repeated = 1 }), Fail},
		{"a lost event that was counted", in(outageLongName, func(a *ArmResult) { a.Events.Lost, a.Accounts[0].Dropped = 1, 1 }), Fail},
		{"a request that was not answered", in("timer", func(a *ArmResult) { a.Events.Refused = 1 }), Undecided},
		{"one whose event is stored", in("timer", func(a *ArmResult) {
			a.Events.Refused, a.Events.Unasked = 1, 1
			a.Accounts[0].Added, a.Accounts[0].Exported = 101, 101
		}), Undecided},
		{"an event that nobody sent", in("timer", func(a *ArmResult) { a.Accounts[0].Added++ }), Fail},
		{"nothing accepted", in("timer", func(a *ArmResult) { a.Events, a.Accounts[0] = Events{}, Account{Exporter: s3Exporter} }), Undecided},
		{"no counts", in("timer", func(a *ArmResult) { a.Accounts = nil }), Undecided},
		{"an event that was not added", in("timer", func(a *ArmResult) { a.Accounts[0].Added-- }), Fail},
		{"exported, but not stored", in("timer", func(a *ArmResult) { a.Accounts[0].Exported++ }), Fail},
		{"nothing spooled in outage", in(outageName, func(a *ArmResult) { a.Accounts[0].Spooled = 0 }), Undecided},
		{"nothing spooled in outage-long", in(outageLongName, func(a *ArmResult) { a.Accounts[0].Spooled = 0 }), Undecided},
		{"nothing spooled without an outage", in(crowdName, func(a *ArmResult) { a.Accounts[0].Spooled = 0 }), Pass},
		{"nothing for the next process", in(outageName, func(a *ArmResult) { a.Accounts[0].Inherited = 0 }), Pass},
		{"no hung exporter", in(hungName, func(a *ArmResult) { a.Accounts = a.Accounts[:1] }), Undecided},
		{"one that did not hang", in(hungName, func(a *ArmResult) { a.Accounts[1].Hung = false }), Undecided},
		{"an event lost by the fork", of(forkName, "timer", func(a *ArmResult) { a.Events.Lost = 1 }), Pass},
		{"an event lost by the release alone", of(forkVersion, "timer", func(a *ArmResult) { a.Events.Lost = 1 }), Pass},
	})
}
