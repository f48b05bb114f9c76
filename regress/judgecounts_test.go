package regress

import "testing"

func TestOrder(t *testing.T) {
	checkJudge(t, "P2", []string{crowdName, outageLongName}, []judgement{
		{"out of order", in(crowdName, func(a *ArmResult) { a.Events.Late = 1 }), Fail},
		{"out of order after an outage", in(outageLongName, func(a *ArmResult) { a.Events.Late = 1 }), Fail},
		{"nothing stored", in(crowdName, func(a *ArmResult) { a.Events.Stored = 0 }), Undecided},
		{"callers of one event", func(r *Report) { s, _ := r.result(crowdName, forkName); s.Events = 1 }, Undecided},
		{"another arm", func(r *Report) { _, a := r.result(crowdName, "v1.55.2"); a.Events.Late = 1 }, Pass},
	})
}

func TestEvents(t *testing.T) {
	checkJudge(t, "P3", calm, []judgement{
		{"a lost event", in("jitter", func(a *ArmResult) { a.Events.Lost = 1 }), Fail},
		{"a repeated event", in(instantName, func(a *ArmResult) { a.Events.Repeated = 1 }), Fail},
		{"an event lost in the outage", in(outageName, func(a *ArmResult) { a.Events.Lost = 1 }), Pass},
		{"an event lost by another arm", func(r *Report) { _, a := r.result("timer", "v1.55.2"); a.Events.Lost = 1 }, Pass},
		{"a request that was not accepted", in("timer", func(a *ArmResult) { a.Events.Refused = 1 }), Fail},
		{"no event at all", in("timer", func(a *ArmResult) { a.Events = Events{} }), Undecided},
	})
}

func TestRetry(t *testing.T) {
	of := func(change func(*ArmResult)) func(*Report) { return in(outageName, change) }
	checkJudge(t, "P4", []string{outageName}, []judgement{
		{"a name that was given up", of(func(a *ArmResult) { a.Events.AbandonedNames = 1 }), Fail},
		{"other contents", of(func(a *ArmResult) { a.Events.ChangedNames = 1 }), Fail},
		{"a repeated event", of(func(a *ArmResult) { a.Events.Repeated = 1 }), Fail},
		{"a lost event", of(func(a *ArmResult) { a.Events.Lost = 1 }), Fail},
		{"a lost event and no counts", of(func(a *ArmResult) { a.Events.Lost, a.Accounts = 1, nil }), Fail},
		{"more lost than dropped", of(func(a *ArmResult) { a.Events.Lost, a.Accounts[0].Dropped = 2, 1 }), Fail},
		{"a buffer that was too small", of(func(a *ArmResult) { a.Events.Lost, a.Accounts[0].Dropped = 1, 1 }), Undecided},
		{"a request that was not accepted", of(func(a *ArmResult) { a.Events.Refused = 1 }), Fail},
		{"no failed upload", of(func(a *ArmResult) { a.Events.FailedNames = 0 }), Undecided},
	})
}

func TestCounts(t *testing.T) {
	for _, s := range counted {
		of := func(change func(a *ArmResult, s3 *Account)) func(*Report) {
			return in(s, func(a *ArmResult) { change(a, a.account(s3Exporter)) })
		}
		t.Run(s, func(t *testing.T) {
			checkJudge(t, "P8", []string{s}, []judgement{
				{"no counts", in(s, func(a *ArmResult) { a.Accounts = nil }), Undecided},
				{"a sum that is wrong", of(func(_ *ArmResult, s3 *Account) { s3.Dropped++ }), Fail},
				{"an event that was not added", of(func(_ *ArmResult, s3 *Account) { s3.Added--; s3.Exported-- }), Fail},
				{"an event that nobody sent", of(func(_ *ArmResult, s3 *Account) { s3.Added++; s3.Dropped++ }), Fail},
				{"exported, but not stored", of(func(a *ArmResult, s3 *Account) { a.Events.Stored--; a.Events.Lost++ }), Fail},
				{"lost without a drop", of(func(a *ArmResult, s3 *Account) { s3.Exported--; s3.Pending++; a.Events.Stored--; a.Events.Lost++ }), Fail},
				{"a counted drop", of(func(a *ArmResult, s3 *Account) { s3.Exported--; s3.Dropped++; a.Events.Stored--; a.Events.Lost++ }), Pass},
				{"a drop that was stored", of(func(_ *ArmResult, s3 *Account) { s3.Exported--; s3.Dropped++ }), Fail},
				{"stored, but refused", in(s, func(a *ArmResult) {
					a.Events.Unasked, a.Events.Refused = 1, 2
					for i := range a.Accounts {
						a.Accounts[i].Added++
						a.Accounts[i].Dropped++
					}
					s3 := a.account(s3Exporter)
					s3.Dropped, s3.Exported = s3.Dropped-1, s3.Exported+1
				}), Pass},
			})
		})
	}
	checkJudge(t, "P8", nil, []judgement{
		{"an outage too short", in(outageLongName, func(a *ArmResult) {
			a.Events = Events{Accepted: 100, Stored: 100}
			a.Accounts[0] = Account{Exporter: s3Exporter, Added: 100, Exported: 100}
		}), Undecided},
		{"pending for one that did not hang", in(hungName, func(a *ArmResult) { a.Accounts[1].Hung = false }), Fail},
		{"the hung exporter's sum", in(hungName, func(a *ArmResult) { a.Accounts[1].Dropped-- }), Fail},
		{"nothing accepted", in("timer", func(a *ArmResult) {
			a.Events, a.Accounts[0] = Events{}, Account{Exporter: s3Exporter}
		}), Undecided},
	})
}
