package regress

import (
	"fmt"
	"strings"
)

// Outcome of a judgement.
type Outcome string

// The outcomes. Undecided is not a pass: the figures allow neither.
const (
	Pass       Outcome = "pass"
	Fail       Outcome = "fail"
	Undecided  Outcome = "undecided"
	NotClaimed Outcome = "not claimed yet"
)

// Verdict says whether one promise holds on the fork, by this report.
type Verdict struct {
	Promise  string    `json:"promise"` // "P1"
	Text     string    `json:"text"`
	Claimed  bool      `json:"claimed"` // by the README
	Outcome  Outcome   `json:"outcome"`
	Findings []Finding `json:"findings"`
}

// Finding is one thing that was measured, in words.
type Finding struct {
	Arm      string  `json:"arm"`
	Scenario string  `json:"scenario"`
	Outcome  Outcome `json:"outcome,omitempty"` // what it says about the promise, if it was judged
	Text     string  `json:"text"`
}

// Failed tells whether a claimed promise was seen broken.
func (r *Report) Failed() bool {
	for _, v := range r.Verdicts {
		if v.Outcome == Fail {
			return true
		}
	}
	return false
}

// judge fills in verdicts and others from the figures.
func (r *Report) judge() {
	r.Verdicts, r.Others = []Verdict{}, []Finding{}
	for _, p := range promises {
		outcome, findings := p.judge(r)
		if !p.holds {
			outcome = NotClaimed
			for i := range findings {
				findings[i].Outcome = ""
			}
		}
		r.Verdicts = append(r.Verdicts, Verdict{Promise: p.id, Text: p.text, Claimed: p.holds, Outcome: outcome, Findings: findings})
	}
	for _, arm := range r.Arms {
		if arm.Name == forkName {
			continue
		}
		for i := range r.Scenarios {
			if s, a := r.result(r.Scenarios[i].Name, arm.Name); a != nil {
				r.Others = append(r.Others, Finding{Arm: arm.Name, Scenario: s.Name, Text: r.describe(s, a)})
			}
		}
	}
}

const (
	// resolution is how many times another figure of the same run one may be and still count as alike on a busy machine.
	resolution = 2
	// sinkPart is the part of the sink's time from which on a wait may be the sink's. Callers that wait for an export see
	// nearly all of it at p99.9; noise of the machine stays far below.
	sinkPart = 0.5
)

// judgeWait judges P1: in the delayed scenarios /collect must look like it does when nothing is delayed.
func judgeWait(r *Report) (Outcome, []Finding) {
	return judgeEach(r, delayed, func(s *ScenarioResult, a *ArmResult) (Outcome, string) {
		if n := a.unanswered(); n > 0 {
			return Fail, fmt.Sprintf("%d requests had no answer %s after the schedule", n, seconds(r.Settings.BoundS))
		}
		_, yardstick := r.result(instantName, a.Arm)
		if yardstick == nil || yardstick.Collect.Requests == 0 || a.Collect.Requests == 0 {
			return Undecided, "nothing to compare: " + instantName + " is the yardstick and was not measured"
		}
		if n := yardstick.failed() + yardstick.unanswered(); n > 0 {
			return Undecided, fmt.Sprintf("nothing to compare: %d requests were not accepted in %s, the yardstick", n, instantName)
		}
		outcome, text := compareWait(s, a, yardstick)
		if n := a.failed(); n > 0 {
			if outcome == Pass {
				outcome = Undecided
			}
			text = fmt.Sprintf("%d requests failed, and a refusal can hide a wait: %s", n, text)
		}
		return outcome, text
	})
}

// compareWait holds the p99.9 of /collect against the three figures that tell a wait for the sink from a slow machine: the
// arm's own when nothing is delayed, the sink's time, and that of evaluations in the same run, which do not wait for the
// sink at these versions and so show what the machine does to any request. Once they are so slow that they may have waited
// themselves, they explain something only if those of another arm were as slow.
func compareWait(s *ScenarioResult, a, yardstick *ArmResult) (Outcome, string) {
	p, own, beside := a.Collect.P999, yardstick.Collect.P999, a.Evaluation.P999
	text := fmt.Sprintf("p99.9 of /collect is %s, %s its own %s; the sink takes %s",
		millis(p), times(p/own), instantName, millis(s.SinkMs))
	short := func(ms float64) bool { return ms <= sinkPart*s.SinkMs }
	alike := p <= resolution*own
	explained := p <= resolution*beside && (short(beside) || beside <= resolution*s.slowestElsewhere(a.Arm))
	switch {
	case alike && short(p):
		return Pass, text
	case explained && short(p) && short(beside):
		return Pass, text + ": as slow as evaluations (" + millis(beside) + "), which do not wait, so the machine"
	case short(p):
		return Undecided, text + ": more than it should be, but less than a wait for the sink"
	case alike:
		return Undecided, text + ": so slow is " + instantName + " itself that a wait for the sink could hide in it"
	case explained:
		return Undecided, text + ": but evaluations, which do not wait, took " + millis(beside) + ", so it may be the machine"
	}
	return Fail, text
}

// slowestElsewhere is the highest p99.9 of the evaluations of the other arms; 0 if there are none.
func (s *ScenarioResult) slowestElsewhere(arm string) (ms float64) {
	for _, a := range s.Arms {
		if a.Arm != arm {
			ms = max(ms, a.Evaluation.P999)
		}
	}
	return ms
}

// judgeEvents judges P3: while no export fails, every request is accepted, and every accepted event is stored once.
func judgeEvents(r *Report) (Outcome, []Finding) {
	return judgeEach(r, calm, func(_ *ScenarioResult, a *ArmResult) (Outcome, string) {
		e := a.Events
		text := fmt.Sprintf("%d accepted, %d stored, %d lost, %d repeated", e.Accepted, e.Stored, e.Lost, e.Repeated)
		switch {
		case e.Refused > 0:
			return Fail, fmt.Sprintf("%d requests were not accepted, so their events are gone; %s", e.Refused, text)
		case e.Lost > 0 || e.Repeated > 0:
			return Fail, text
		case e.Accepted == 0:
			return Undecided, text
		}
		return Pass, text
	})
}

// judgeEach judges the fork in every named scenario. One fail fails all; a pass needs a pass in each.
func judgeEach(r *Report, scenarios []string, judge func(*ScenarioResult, *ArmResult) (Outcome, string)) (Outcome, []Finding) {
	all := Pass
	var findings []Finding
	for _, name := range scenarios {
		outcome, text := Undecided, "not run"
		switch s, a := r.result(name, forkName); {
		case a == nil:
		case len(a.Trouble) > 0:
			outcome, text = Fail, strings.Join(a.Trouble, "; ")
		default:
			outcome, text = judge(s, a)
		}
		findings = append(findings, Finding{Arm: forkName, Scenario: name, Outcome: outcome, Text: text})
		if outcome == Fail || outcome == Undecided && all == Pass {
			all = outcome
		}
	}
	return all, findings
}

// unmeasured is the judge of what no scenario here looks at.
func unmeasured(*Report) (Outcome, []Finding) {
	return Undecided, []Finding{{Arm: forkName, Text: "not measured here"}}
}

func showOutageEvents(r *Report) (Outcome, []Finding) {
	return judgeEach(r, []string{"outage"}, func(_ *ScenarioResult, a *ArmResult) (Outcome, string) {
		e := a.Events
		return Undecided, fmt.Sprintf("%d of %d uploads failed; %d events accepted, %d lost, %d repeated",
			e.FailedPuts, e.Puts, e.Accepted, e.Lost, e.Repeated)
	})
}

func showOutageMemory(r *Report) (Outcome, []Finding) {
	return judgeEach(r, []string{"outage"}, func(_ *ScenarioResult, a *ArmResult) (Outcome, string) {
		return Undecided, fmt.Sprintf("at most %.0f MB and %d goroutines", a.Peak.MemoryMB, a.Peak.Goroutines)
	})
}

// describe says in one sentence how an arm fares in a scenario.
func (r *Report) describe(s *ScenarioResult, a *ArmResult) string {
	text := "p99.9 of /collect is " + millis(a.Collect.P999)
	if s.SinkMs > 0 {
		text += ", " + times(a.Collect.P999/s.SinkMs) + " the sink's time"
	}
	if _, own := r.result(instantName, a.Arm); own != nil && s.Name != instantName && own.Collect.P999 > 0 {
		text += ", " + times(a.Collect.P999/own.Collect.P999) + " its own " + instantName
	}
	text += fmt.Sprintf("; %d events lost, %d repeated", a.Events.Lost, a.Events.Repeated)
	if n := a.unanswered(); n > 0 {
		text += fmt.Sprintf("; %d requests unanswered", n)
	}
	if n := a.failed(); n > 0 {
		text += fmt.Sprintf("; %d requests failed", n)
	}
	for _, trouble := range a.Trouble {
		text += "; " + trouble
	}
	return text
}
