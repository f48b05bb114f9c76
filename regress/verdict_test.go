package regress

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testReport has every scenario with the fork and one other arm, as it is when all is well.
func testReport() *Report {
	r := &Report{Settings: Settings{RoundS: 15, BoundS: 60, Rate: 200}, Arms: []ArmInfo{{Name: "v1.55.2"}, {Name: forkName}}}
	for _, s := range Scenarios() {
		result := ScenarioResult{Name: s.Name, About: s.About, SinkMs: durationMs(s.SinkTime())}
		for _, arm := range r.Arms {
			a := ArmResult{Arm: arm.Name, Events: Events{Accepted: 100, Stored: 100}}
			a.Collect = Latency{Requests: 50, P50: 1, P95: 2, P99: 3, P999: 4, Max: 5}
			a.Evaluation = a.Collect
			result.Arms = append(result.Arms, a)
		}
		r.Scenarios = append(r.Scenarios, result)
	}
	return r
}

func onFork(r *Report, scenario string) *ArmResult {
	_, a := r.result(scenario, forkName)
	return a
}

func outcomes(r *Report) map[string]Outcome {
	all := map[string]Outcome{}
	for _, v := range r.Verdicts {
		all[v.Promise] = v.Outcome
	}
	return all
}

func TestVerdicts(t *testing.T) {
	without := func(scenario string) func(*Report) {
		return func(r *Report) {
			r.Scenarios = slices.DeleteFunc(r.Scenarios, func(s ScenarioResult) bool { return s.Name == scenario })
		}
	}
	slow := func(scenario string, collect, evaluation float64) func(*Report) {
		return func(r *Report) {
			onFork(r, scenario).Collect.P999, onFork(r, scenario).Evaluation.P999 = collect, evaluation
		}
	}
	failed := func(scenario string, n int64) func(*Report) {
		return func(r *Report) { onFork(r, scenario).Collect.Failed, onFork(r, scenario).Events.Refused = n, n }
	}
	for _, test := range []struct {
		name   string
		change func(*Report)
		p1, p3 Outcome
		failed bool
	}{
		{"all well", func(*Report) {}, Pass, Pass, false},
		{"as slow as twice the yardstick", func(r *Report) { onFork(r, "threshold").Collect.P999 = 8 }, Pass, Pass, false},
		{"slower than that, far below the sink", func(r *Report) { onFork(r, "threshold").Collect.P999 = 9 }, Undecided, Pass, false},
		{"half of the sink's time", func(r *Report) { onFork(r, "threshold").Collect.P999 = 250 }, Undecided, Pass, false},
		{"more than half of it", func(r *Report) { onFork(r, "threshold").Collect.P999 = 251 }, Fail, Pass, true},
		{"the sink's time when it is short", func(r *Report) { onFork(r, "timer").Collect.P999 = 65 }, Fail, Pass, true},
		{"the sink's time in nonbulk", func(r *Report) { onFork(r, "nonbulk").Collect.P999 = 100 }, Fail, Pass, true},
		{"the mean jitter", func(r *Report) { onFork(r, "jitter").Collect.P999 = 3565 }, Fail, Pass, true},
		{"the outage is not claimed", func(r *Report) { onFork(r, "outage").Collect.P999 = 10_000 }, Pass, Pass, false},
		{"a yardstick that could hide the sink", func(r *Report) {
			onFork(r, instantName).Collect.P999 = 300
			onFork(r, "threshold").Collect.P999 = 500
		}, Undecided, Pass, false},
		{"a pause that hit both endpoints", slow("timer", 14.6, 16.1), Pass, Pass, false},
		{"twice the evaluations", slow("timer", 14.6, 7.3), Pass, Pass, false},
		{"more than twice the evaluations", slow("timer", 14.6, 7.2), Undecided, Pass, false},
		{"evaluations that may have waited themselves", slow("timer", 20, 33), Undecided, Pass, false},
		{"a machine that slows every request", slow("threshold", 500, 250), Undecided, Pass, false},
		{"a machine that does not explain it", slow("threshold", 501, 250), Fail, Pass, true},
		{"evaluations that wait for half of the sink's time are no excuse", slow("threshold", 251, 251), Fail, Pass, true},
		{"both endpoints wait everywhere", func(r *Report) {
			for _, s := range delayed {
				slow(s, 5000, 5000)(r)
			}
		}, Fail, Pass, true},
		{"evaluations of another arm that were as slow", func(r *Report) {
			slow("timer", 157, 152)(r)
			_, a := r.result("timer", "v1.55.2")
			a.Evaluation.P999 = 104
		}, Undecided, Pass, false},
		{"evaluations of another arm that were not as slow", func(r *Report) {
			slow("timer", 157, 152)(r)
			_, a := r.result("timer", "v1.55.2")
			a.Evaluation.P999 = 75
		}, Fail, Pass, true},
		{"a fail is not covered by something undecided", func(r *Report) {
			onFork(r, "timer").Collect.P999 = 20
			onFork(r, "threshold").Collect.P999 = 500
			onFork(r, "nonbulk").Collect.P999 = 20
		}, Fail, Pass, true},
		{"another arm waits", func(r *Report) { _, a := r.result("threshold", "v1.55.2"); a.Collect.P999 = 9000 }, Pass, Pass, false},
		{"no yardstick", without(instantName), Undecided, Undecided, false},
		{"a scenario was left out", without("jitter"), Undecided, Undecided, false},
		{"an unanswered evaluation", func(r *Report) {
			onFork(r, "nonbulk").Evaluation.Unanswered = 1
			onFork(r, "nonbulk").Events.Refused = 1
		}, Fail, Fail, true},
		{"a failed request", failed("nonbulk", 1), Undecided, Fail, true},
		{"hardly a request that did not fail", func(r *Report) {
			for _, s := range calm {
				failed(s, 5000)(r)
				onFork(r, s).Collect.Requests = 5
			}
		}, Undecided, Fail, true},
		{"a wait that ends in a failure", func(r *Report) {
			failed("threshold", 1)(r)
			onFork(r, "threshold").Collect.P999 = 501
		}, Fail, Fail, true},
		{"a failed request of the yardstick", failed(instantName, 1), Undecided, Fail, true},
		{"an unanswered request of the yardstick", func(r *Report) { onFork(r, instantName).Collect.Unanswered = 1 }, Undecided, Pass, false},
		{"a failed request of the warm-up", func(r *Report) { onFork(r, "timer").Events.Refused = 1 }, Pass, Fail, true},
		{"a failed request in the outage", failed("outage", 1), Pass, Pass, false},
		{"a lost event", func(r *Report) { onFork(r, "jitter").Events.Lost = 1 }, Pass, Fail, true},
		{"a repeated event", func(r *Report) { onFork(r, instantName).Events.Repeated = 1 }, Pass, Fail, true},
		{"an event lost in the outage", func(r *Report) { onFork(r, "outage").Events.Lost = 1 }, Pass, Pass, false},
		{"an event lost by another arm", func(r *Report) { _, a := r.result("timer", "v1.55.2"); a.Events.Lost = 1 }, Pass, Pass, false},
		{"no event at all", func(r *Report) { onFork(r, "timer").Events = Events{} }, Pass, Undecided, false},
		{"a crash", func(r *Report) { onFork(r, "timer").Trouble = []string{"panic"} }, Fail, Fail, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := testReport()
			test.change(r)
			r.judge()
			want := map[string]Outcome{"P1": test.p1, "P3": test.p3}
			for _, id := range []string{"P2", "P4", "P5", "P6", "P7", "P8"} {
				want[id] = NotClaimed
			}
			if diff := cmp.Diff(want, outcomes(r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if r.Failed() != test.failed {
				t.Errorf("Failed() = %v", r.Failed())
			}
		})
	}
}

// What a verdict says must tell why it is not the plain one.
func TestFindingsSayWhy(t *testing.T) {
	for _, test := range []struct {
		promise, scenario string
		change            func(*ArmResult)
		want              string
	}{
		{"P1", "timer", func(a *ArmResult) { a.Collect.P999, a.Evaluation.P999 = 14.6, 16.1 },
			"p99.9 of /collect is 14.6 ms, 3.65× its own instant; the sink takes 65.0 ms: " +
				"as slow as evaluations (16.1 ms), which do not wait, so the machine"},
		{"P1", "timer", func(a *ArmResult) { a.Collect.Failed = 5 },
			"5 requests failed, and a refusal can hide a wait: p99.9 of /collect is 4.00 ms, 1.00× its own instant; the sink takes 65.0 ms"},
		{"P3", "timer", func(a *ArmResult) { a.Events.Refused = 5 },
			"5 requests were not accepted, so their events are gone; 100 accepted, 100 stored, 0 lost, 0 repeated"},
		{"P4", "outage", func(a *ArmResult) { a.Events.Puts, a.Events.FailedPuts = 10, 10 },
			"10 of 10 uploads failed; 100 events accepted, 0 lost, 0 repeated"},
	} {
		r := testReport()
		test.change(onFork(r, test.scenario))
		r.judge()
		var got []string
		for _, v := range r.Verdicts {
			for _, f := range v.Findings {
				if v.Promise == test.promise && f.Scenario == test.scenario {
					got = append(got, f.Text)
				}
			}
		}
		if diff := cmp.Diff([]string{test.want}, got); diff != "" {
			t.Errorf("%s in %s (-want +got):\n%s", test.promise, test.scenario, diff)
		}
	}
}

func TestOthersAreDescribed(t *testing.T) {
	r := testReport()
	_, a := r.result("threshold", "v1.55.2")
	a.Collect.P999, a.Collect.Unanswered, a.Events.Lost = 1000, 7, 3
	a.Trouble = []string{"did not stop"}
	r.judge()
	want := Finding{Arm: "v1.55.2", Scenario: "threshold", Text: "p99.9 of /collect is 1.00 s, 2.00× the sink's time, " +
		"250× its own instant; 3 events lost, 0 repeated; 7 requests unanswered; did not stop"}
	if !slices.Contains(r.Others, want) {
		t.Errorf("%+v is not among %+v", want, r.Others)
	}
	if len(r.Others) != len(r.Scenarios) {
		t.Errorf("%d findings on one arm in %d scenarios", len(r.Others), len(r.Scenarios))
	}
}

// What the README claims and what the proof judges must be the same.
func TestReadmeClaims(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| *(P\d) *\|.*\| *(holds|not yet)\b[^|]*\|\s*$`)
	got, want := map[string]bool{}, map[string]bool{}
	for _, match := range row.FindAllStringSubmatch(string(readme), -1) {
		got[match[1]] = match[2] == "holds"
	}
	for _, p := range promises {
		want[p.id] = p.holds
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("promises.go and the README's table `| P1 | … | holds |` or `| … | not yet |` differ (-code +README):\n%s", diff)
	}
}

func TestPick(t *testing.T) {
	name := func(a Arm) string { return a.Name }
	got, err := pick("arm", Arms(), name, []string{forkName, "v1.52.1"})
	if err != nil || len(got) != 2 || got[0].Name != "v1.52.1" || got[1].Name != forkName {
		t.Errorf("pick: %+v, %v", got, err)
	}
	if got, err := pick("arm", Arms(), name, nil); err != nil || len(got) != len(Arms()) {
		t.Errorf("pick all: %+v, %v", got, err)
	}
	_, err = pick("arm", Arms(), name, []string{"v1.0.0"})
	if unknown := (*UnknownError)(nil); !errors.As(err, &unknown) || !strings.Contains(err.Error(), forkName) {
		t.Errorf("pick of an unknown arm: %v", err)
	}
}
