package regress

import "fmt"

// judgeOrder judges P2, where a request brings several events: S3 gets them in the order in which the request added them.
func judgeOrder(r *Report) (Outcome, []Finding) {
	return judgeEach(r, []string{crowdName, outageLongName}, func(s *ScenarioResult, a *ArmResult) (Outcome, string) {
		text := fmt.Sprintf("%d stored of callers with %d each, %d out of order", a.Events.Stored, s.Events, a.Events.Late)
		switch {
		case a.Events.Late > 0:
			return Fail, text
		case s.Events < 2 || a.Events.Stored == 0:
			return Undecided, text
		}
		return Pass, text
	})
}

// judgeEvents judges P3: while no export fails, every request is accepted, and every accepted event is stored once.
func judgeEvents(r *Report) (Outcome, []Finding) {
	return judgeEach(r, calm, func(_ *ScenarioResult, a *ArmResult) (Outcome, string) {
		e := a.Events
		text := fmt.Sprintf("%d accepted, %d stored, %d lost, %d repeated", e.Accepted, e.Stored, e.Lost, e.Repeated)
		switch {
		case e.Refused > 0:
			return Fail, fmt.Sprintf("%d events were not accepted, so they are gone; %s", e.Refused, text)
		case e.Lost > 0 || e.Repeated > 0:
			return Fail, text
		case e.Accepted == 0:
			return Undecided, text
		}
		return Pass, text
	})
}

// judgeRetry judges P4 by an outage that ends before the backlog reaches its bound: all that failed comes again, under its
// name and with the contents that it had, until it is stored, and so every event is stored once.
func judgeRetry(r *Report) (Outcome, []Finding) {
	return judgeEach(r, []string{outageName}, func(_ *ScenarioResult, a *ArmResult) (Outcome, string) {
		e, s3 := a.Events, a.account(s3Exporter)
		text := fmt.Sprintf("of %d objects that failed, %d were never stored and %d came with other contents; %d events accepted, %d lost, %d repeated",
			e.FailedNames, e.AbandonedNames, e.ChangedNames, e.Accepted, e.Lost, e.Repeated)
		switch {
		case e.Refused > 0:
			return Fail, fmt.Sprintf("%d events were not accepted, so they are gone; %s", e.Refused, text)
		case e.AbandonedNames > 0 || e.ChangedNames > 0 || e.Repeated > 0:
			return Fail, text
		case e.Lost > 0 && s3 != nil && s3.Dropped == e.Lost:
			return Undecided, text + ": as many as were dropped, for at this rate the outage is too long for the buffer"
		case e.Lost > 0:
			return Fail, text
		case e.FailedNames == 0:
			return Undecided, text + ": nothing had to come again"
		}
		return Pass, text
	})
}

// judgeCounts judges P8: what the library says of its events is what the clients sent and what S3 holds.
func judgeCounts(r *Report) (Outcome, []Finding) {
	return judgeEach(r, counted, func(s *ScenarioResult, a *ArmResult) (Outcome, string) {
		e, s3 := a.Events, a.account(s3Exporter)
		if s3 == nil {
			return Undecided, "the library does not count"
		}
		text := fmt.Sprintf("counted: %d added, %d exported, %d dropped, %d pending; seen: %d accepted, %d stored, %d lost",
			s3.Added, s3.Exported, s3.Dropped, s3.Pending, e.Accepted, e.Stored, e.Lost)
		for _, b := range a.Accounts {
			switch {
			case b.Added != b.Exported+b.Dropped+b.Pending:
				return Fail, fmt.Sprintf("%s: the count of %s does not add up", text, b.Exporter)
			case b.Added < e.Accepted || b.Added > e.Accepted+e.Refused:
				return Fail, fmt.Sprintf("%s: %s was to get %d", text, b.Exporter, b.Added)
			case b.Pending > 0 && !b.Hung:
				return Fail, fmt.Sprintf("%s: %d are pending for %s, which has stopped", text, b.Pending, b.Exporter)
			}
		}
		switch {
		case s3.Exported != e.Stored+e.Unasked:
			return Fail, text
		case e.Refused == 0 && s3.Dropped+s3.Pending != e.Lost:
			return Fail, text
		case e.Accepted == 0:
			return Undecided, text
		case s.Name == outageLongName && s3.Dropped == 0:
			return Undecided, text + ": the outage was too short for anything to be dropped"
		}
		return Pass, text
	})
}
