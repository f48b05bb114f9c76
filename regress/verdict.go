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

// Verdict says whether one promise holds, by this report.
type Verdict struct {
	Promise  string    `json:"promise"` // "P1" to "P8" of the fork, "E1" of this module's exporters
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

// judgeEach judges the fork in every named scenario. One fail fails all; a pass needs a pass in each.
func judgeEach(r *Report, scenarios []string, judge func(*ScenarioResult, *ArmResult) (Outcome, string)) (Outcome, []Finding) {
	return judgeArm(r, forkName, scenarios, judge)
}

// judgeArm is judgeEach for any arm.
func judgeArm(
	r *Report, arm string, scenarios []string, judge func(*ScenarioResult, *ArmResult) (Outcome, string),
) (Outcome, []Finding) {
	all := Pass
	var findings []Finding
	for _, name := range scenarios {
		outcome, text := Undecided, "not run"
		switch s, a := r.result(name, arm); {
		case a == nil:
		case len(a.Trouble) > 0:
			outcome, text = Fail, strings.Join(a.Trouble, "; ")
		default:
			outcome, text = judge(s, a)
		}
		findings = append(findings, Finding{Arm: arm, Scenario: name, Outcome: outcome, Text: text})
		all = worse(all, outcome)
	}
	return all, findings
}

// worse of two outcomes: a fail is not covered by anything, and a pass needs both.
func worse(a, b Outcome) Outcome {
	switch {
	case a == Fail || b == Fail:
		return Fail
	case a == Undecided || b == Undecided:
		return Undecided
	}
	return Pass
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
	if n := a.Events.Late; n > 0 {
		text += fmt.Sprintf(", %d out of order", n)
	}
	if _, well := r.result(crowdName, a.Arm); s.Name == outageLongName && well != nil && well.Peak.MemoryMB > 0 {
		text += fmt.Sprintf("; %.0f MB, %s that of %s", a.Peak.MemoryMB, times(a.Peak.MemoryMB/well.Peak.MemoryMB), crowdName)
	}
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
