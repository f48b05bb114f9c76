package regress

import (
	"fmt"
)

const (
	// resolution is how many times another figure of the same run one may be and still count as alike on a busy machine.
	resolution = 2
	// sinkPart is the part of the sink's time from which on a wait may be the sink's. Callers that wait for an export see
	// nearly all of it at p99.9; noise of the machine stays far below.
	sinkPart = 0.5
)

// judgeWait judges P1: in the delayed scenarios both endpoints that make events must look as they do when nothing is delayed.
func judgeWait(r *Report) (Outcome, []Finding) {
	return judgeEach(r, delayed, func(s *ScenarioResult, a *ArmResult) (Outcome, string) {
		if n := a.unanswered(); n > 0 {
			return Fail, fmt.Sprintf("%d requests had no answer %s after the schedule", n, seconds(s.BoundS))
		}
		_, yardstick := r.result(instantName, a.Arm)
		if yardstick == nil || yardstick.Collect.Requests == 0 || a.Collect.Requests == 0 ||
			yardstick.Evaluation.Requests == 0 || a.Evaluation.Requests == 0 {
			return Undecided, "nothing to compare: " + instantName + " is the yardstick and was not measured"
		}
		if n := yardstick.failed() + yardstick.unanswered(); n > 0 {
			return Undecided, fmt.Sprintf("nothing to compare: %d requests were not accepted in %s, the yardstick", n, instantName)
		}
		outcome, text := compareWait(s.SinkMs, "/collect", a.Collect.P999, yardstick.Collect.P999, a.Check.P999)
		other, more := compareWait(s.SinkMs, "/flag-evaluation", a.Evaluation.P999, yardstick.Evaluation.P999, a.Check.P999)
		outcome, text = worse(outcome, other), text+"; "+more
		if n := a.failed(); n > 0 {
			outcome = worse(outcome, Undecided)
			text = fmt.Sprintf("%d requests failed, and a refusal can hide a wait: %s", n, text)
		}
		return outcome, text
	})
}

// compareWait holds the p99.9 of an endpoint against the three figures that tell a wait for the sink from a slow machine: the
// arm's own when nothing is delayed, the sink's time, and that of /check in the same run.
//
// The library cannot talk itself out with the last one. /check does the work of /collect in the same process at the same
// time, but no code of the library is on its way, so it cannot wait for an export: what slows it is the machine, or a library
// that takes the processors for itself. For the latter, /check excuses nothing beyond half of the sink's time: such a figure
// is undecided, never a pass. And it never excuses what is more than twice as slow as /check itself.
func compareWait(sink float64, endpoint string, p, own, beside float64) (Outcome, string) {
	text := fmt.Sprintf("p99.9 of %s is %s, %s its own %s, sink %s", endpoint, millis(p), times(p/own), instantName, millis(sink))
	short := func(ms float64) bool { return ms <= sinkPart*sink }
	alike := p <= resolution*own
	explained := p <= resolution*beside
	switch {
	case alike && short(p):
		return Pass, text
	case explained && short(p) && short(beside):
		return Pass, text + ": as slow as /check (" + millis(beside) + "), so the machine"
	case short(p):
		return Undecided, text + ": more than it should be, but less than a wait for the sink"
	case alike:
		return Undecided, text + ": so slow is " + instantName + " itself that a wait for the sink could hide in it"
	case explained:
		return Undecided, text + ": but /check took " + millis(beside) + ", so it may be the machine"
	}
	return Fail, text
}
