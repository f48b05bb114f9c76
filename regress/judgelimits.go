package regress

import "fmt"

// The fork's documented defaults: how many events may wait for an exporter, and how many it is given at once.
const (
	backlogPerFlush = 10     // times maxEventInMemory
	leastBacklog    = 1000   // but at least
	largestBatch    = 10_000 // unless maxEventInMemory is more
)

// mostPending is how many events the fork may hold for a bulk exporter: those that wait and those of the batch in flight.
func mostPending(maxEvents int) int64 {
	backlog := max(backlogPerFlush*maxEvents, leastBacklog)
	batch := max(maxEvents, min(largestBatch, backlog))
	return int64(backlog + batch)
}

// memoryRatio is how many times the memory of a service with a well sink that of one with a dead sink may be: the bound is a
// small part of what either needs for itself and for requests. Held, the events of outage-long would take several times that.
const memoryRatio = 1.5

// judgeMemory judges P5 by an outage far beyond what may wait: neither the count nor the memory goes past the bound.
func judgeMemory(r *Report) (Outcome, []Finding) {
	return judgeEach(r, []string{outageLongName}, func(s *ScenarioResult, a *ArmResult) (Outcome, string) {
		s3 := a.account(s3Exporter)
		_, well := r.result(crowdName, a.Arm)
		switch {
		case s3 == nil:
			return Undecided, fmt.Sprintf("at most %.0f MB; the library does not count its events", a.Peak.MemoryMB)
		case well == nil || well.Peak.MemoryMB == 0 || a.Peak.MemoryMB == 0:
			return Undecided, "nothing to compare: " + crowdName + " is the yardstick of the memory and was not measured"
		}
		bound, ratio := mostPending(s.MaxEvents), a.Peak.MemoryMB/well.Peak.MemoryMB
		text := fmt.Sprintf("at most %d events pending, %d allowed, %d dropped; %.0f MB, %s that with a well sink",
			s3.PeakPending, bound, s3.Dropped, a.Peak.MemoryMB, times(ratio))
		switch {
		case s3.PeakPending > bound || ratio > resolution*memoryRatio:
			return Fail, text
		case s3.Dropped == 0:
			return Undecided, text + ": the outage was too short to reach the bound"
		case ratio > memoryRatio:
			return Undecided, text + ": more than expected"
		}
		return Pass, text
	})
}

// judgeNeighbour judges P6: beside an exporter that never returns, S3 gets every event once, those of the stop included.
func judgeNeighbour(r *Report) (Outcome, []Finding) {
	return judgeEach(r, []string{hungName}, func(_ *ScenarioResult, a *ArmResult) (Outcome, string) {
		e, hung := a.Events, a.account(hungExporter)
		text := fmt.Sprintf("%d accepted, S3 holds %d, %d lost, %d repeated", e.Accepted, e.Stored, e.Lost, e.Repeated)
		switch {
		case e.Refused > 0:
			return Fail, fmt.Sprintf("%d events were not accepted, so they are gone; %s", e.Refused, text)
		case e.Lost > 0 || e.Repeated > 0:
			return Fail, text
		case hung == nil:
			return Undecided, text + "; the library does not say whether the other one hung"
		case !hung.Hung || hung.Exported > 0 || e.Accepted == 0:
			return Undecided, fmt.Sprintf("%s; the other one did not hang: %d exported", text, hung.Exported)
		}
		return Pass, text + fmt.Sprintf("; of the other one's, %d dropped and %d still in its call", hung.Dropped, hung.Pending)
	})
}

// judgeStop judges P7: with an exporter that never returns, Close ends by its limit and the service with exit code 0. That no
// goroutine is left is for the tests of the fork, which can look inside.
func judgeStop(r *Report) (Outcome, []Finding) {
	return judgeEach(r, []string{hungName}, func(s *ScenarioResult, a *ArmResult) (Outcome, string) {
		hung := a.account(hungExporter)
		text := fmt.Sprintf("Close took %s, its limit is %s", millis(a.Stop.CloseMs), millis(s.CloseMs))
		switch {
		case !a.Stop.Clean:
			return Fail, text + ", and the service did not end by itself"
		case hung == nil:
			return Undecided, text + "; the library does not say whether an exporter hung"
		case !hung.Hung:
			return Undecided, text + ", but no exporter hung"
		case a.Stop.CloseMs > resolution*s.CloseMs:
			return Undecided, text + ": late, but it ended"
		}
		return Pass, text
	})
}
