package regress

import "fmt"

// judgeExporters judges E1 on the plain library: whatever the sink does, every accepted event is in S3 once, if need be by way of
// the disk and the next process. A request that has no answer in time is not the exporters' fault: AddEvent of the plain
// library searches all that is stored, and many events make callers queue for that. But then not all was shown, either.
func judgeExporters(r *Report) (Outcome, []Finding) {
	return judgeArm(r, exportersName, counted, func(s *ScenarioResult, a *ArmResult) (Outcome, string) {
		e, s3, hung := a.Events, a.account(s3Exporter), a.account(hungExporter)
		text := fmt.Sprintf("%d accepted, %d stored, %d lost, %d repeated", e.Accepted, e.Stored, e.Lost, e.Repeated)
		if s3 != nil && s3.Spooled > 0 {
			text += fmt.Sprintf("; batches that went to disk: %d, events left to the next process: %d", s3.Spooled, s3.Inherited)
		}
		switch {
		case e.Lost > 0 || e.Repeated > 0:
			return Fail, text
		case s3 == nil:
			return Undecided, text + "; but the exporters do not say what they did"
		case s3.Added < e.Accepted || s3.Added > e.Accepted+e.Refused || s3.Exported != e.Stored+e.Unasked:
			return Fail, fmt.Sprintf("%s; but counted were %d added and %d exported", text, s3.Added, s3.Exported)
		case e.Accepted == 0:
			return Undecided, text
		case e.Refused > 0:
			return Undecided, fmt.Sprintf("%s; but %d came in requests that were not answered in time", text, e.Refused)
		case s.OutageS > 0 && s3.Spooled == 0:
			return Undecided, text + "; but nothing went to disk in the outage"
		case s.Hung && (hung == nil || !hung.Hung):
			return Undecided, text + "; but the other exporter did not hang"
		}
		return Pass, text
	})
}
