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

// testReport has every scenario with the fork, the exporters and one other arm, as it is when all is well.
func testReport() *Report {
	r := &Report{Settings: Settings{RoundS: 15, BoundS: 60, Rate: 200}, Arms: []ArmInfo{{Name: "v1.55.2"}, {Name: exportersName}, {Name: forkName}}}
	for _, s := range Scenarios() {
		result := ScenarioResult{
			Name: s.Name, About: s.About, SinkMs: durationMs(s.SinkTime()), MaxEvents: s.MaxEvents, Events: max(s.Events, 1),
			BoundS: 60, CloseMs: durationMs(s.closing()), OutageS: 15 * s.Outage, Hung: s.Hung,
		}
		if s.Hung {
			result.SinkMs = 15_000
		}
		for _, arm := range r.Arms {
			a := ArmResult{Arm: arm.Name, Events: Events{Accepted: 100, Stored: 100}, Stop: Stop{Clean: true, CloseMs: 5}}
			a.Collect = Latency{Requests: 50, P50: 1, P95: 2, P99: 3, P999: 4, Max: 5}
			a.Evaluation, a.Check, a.Peak.MemoryMB = a.Collect, a.Collect, 40
			if arm.Name != "v1.55.2" {
				a.Accounts = []Account{{Exporter: s3Exporter, Added: 100, Exported: 100, PeakPending: 20}}
			}
			if arm.Name == exportersName && s.Outage > 0 {
				a.Accounts[0].Spooled, a.Accounts[0].Inherited = 7, 30
			}
			if s.Hung && arm.Name != "v1.55.2" {
				a.Accounts = append(a.Accounts, Account{Exporter: hungExporter, Added: 100, Dropped: 60, Pending: 40, Hung: true})
			}
			result.Arms = append(result.Arms, a)
		}
		r.Scenarios = append(r.Scenarios, result)
	}
	onFork(r, outageName).Events.FailedNames = 3
	long := onFork(r, outageLongName)
	long.Events.Stored, long.Events.Lost = 30, 70
	long.Accounts[0].Exported, long.Accounts[0].Dropped = 30, 70
	onFork(r, hungName).Stop.CloseMs = 2000
	return r
}

func onFork(r *Report, scenario string) *ArmResult {
	_, a := r.result(scenario, forkName)
	return a
}

// without leaves a scenario out.
func without(scenario string) func(*Report) {
	return func(r *Report) {
		r.Scenarios = slices.DeleteFunc(r.Scenarios, func(s ScenarioResult) bool { return s.Name == scenario })
	}
}

// in changes the fork's figures in a scenario.
func in(scenario string, change func(*ArmResult)) func(*Report) {
	return of(forkName, scenario, change)
}

// of changes an arm's figures in a scenario.
func of(arm, scenario string, change func(*ArmResult)) func(*Report) {
	return func(r *Report) {
		_, a := r.result(scenario, arm)
		change(a)
	}
}

// judgement is a change to the report in which all is well, and the outcome that it leads to.
type judgement struct {
	name   string
	change func(*Report)
	want   Outcome
}

// checkJudge holds the judge of a promise, claimed or not, against a table. First of all it must pass what is well, and leave
// undecided what it was not shown.
func checkJudge(t *testing.T, id string, scenarios []string, table []judgement) {
	t.Helper()
	arm := forkName
	if id[0] == 'E' {
		arm = exportersName
	}
	table = append(table, judgement{"all well", func(*Report) {}, Pass})
	for _, s := range scenarios {
		table = append(table,
			judgement{s + " was left out", without(s), Undecided},
			judgement{"a crash in " + s, of(arm, s, func(a *ArmResult) { a.Trouble = []string{"panic"} }), Fail})
	}
	i := slices.IndexFunc(promises, func(p promise) bool { return p.id == id })
	for _, test := range table {
		t.Run(test.name, func(t *testing.T) {
			r := testReport()
			test.change(r)
			outcome, findings := promises[i].judge(r)
			if outcome != test.want {
				t.Errorf("%s: %s, want %s: %+v", id, outcome, test.want, findings)
			}
		})
	}
}

// A promise fails the proof only if it is claimed, and then whatever else is undecided.
func TestFailed(t *testing.T) {
	for _, claimed := range []bool{false, true} {
		saved := promises
		promises = slices.Clone(promises)
		for i := range promises {
			promises[i].holds = claimed && promises[i].id == "P3"
		}
		r := testReport()
		onFork(r, "timer").Events.Lost, onFork(r, "jitter").Events = 1, Events{}
		r.judge()
		promises = saved
		v := r.Verdicts[2]
		want := NotClaimed
		if claimed {
			want = Fail
		}
		if v.Promise != "P3" || v.Outcome != want || v.Claimed != claimed || r.Failed() != claimed {
			t.Errorf("claimed %v: failed %v, %+v", claimed, r.Failed(), v)
		}
		if shown := v.Findings[1].Outcome != ""; shown != claimed {
			t.Errorf("claimed %v: finding %+v", claimed, v.Findings[1])
		}
	}
}

// What a verdict says must tell why it is not the plain one.
func TestFindingsSayWhy(t *testing.T) {
	for _, test := range []struct {
		promise, scenario string
		change            func(*ArmResult)
		want              string
	}{
		{"P1", "timer", func(a *ArmResult) { a.Collect.P999, a.Check.P999 = 14.6, 16.1 },
			"p99.9 of /collect is 14.6 ms, 3.65× its own instant, sink 65.0 ms: as slow as /check (16.1 ms), so the machine; " +
				"p99.9 of /flag-evaluation is 4.00 ms, 1.00× its own instant, sink 65.0 ms"},
		{"P1", "timer", func(a *ArmResult) { a.Collect.Failed = 5 },
			"5 requests failed, and a refusal can hide a wait: p99.9 of /collect is 4.00 ms, 1.00× its own instant, sink 65.0 ms; " +
				"p99.9 of /flag-evaluation is 4.00 ms, 1.00× its own instant, sink 65.0 ms"},
		{"P3", "timer", func(a *ArmResult) { a.Events.Refused = 5 },
			"5 events were not accepted, so they are gone; 100 accepted, 100 stored, 0 lost, 0 repeated"},
		{"P4", outageName, func(a *ArmResult) { a.Events.AbandonedNames = 2 },
			"of 3 objects that failed, 2 were never stored and 0 came with other contents; 100 events accepted, 0 lost, 0 repeated"},
		{"P5", outageLongName, func(a *ArmResult) { a.Peak.MemoryMB = 80 },
			"at most 20 events pending, 10000 allowed, 70 dropped; 80 MB, 2.00× that with a well sink: more than expected"},
		{"P6", hungName, func(*ArmResult) {},
			"100 accepted, S3 holds 100, 0 lost, 0 repeated; of the other one's, 60 dropped and 40 still in its call"},
		{"P7", hungName, func(a *ArmResult) { a.Stop = Stop{CloseMs: 6000} },
			"Close took 6.00 s, its limit is 2.00 s, and the service did not end by itself"},
		{"E1", outageName, func(a *ArmResult) { a.Events.Lost, a.Events.Stored = 1, 99 },
			"100 accepted, 99 stored, 1 lost, 0 repeated; batches that went to disk: 7, events left to the next process: 30"},
		{"E1", "timer", func(a *ArmResult) { a.Accounts = nil },
			"100 accepted, 100 stored, 0 lost, 0 repeated; but the exporters do not say what they did"},
		{"P8", outageLongName, func(*ArmResult) {},
			"counted: 100 added, 30 exported, 70 dropped, 0 pending; seen: 100 accepted, 30 stored, 70 lost"},
	} {
		r := testReport()
		arm := forkName
		if test.promise == "E1" {
			arm = exportersName
		}
		of(arm, test.scenario, test.change)(r)
		r.judge()
		found := false
		for _, v := range r.Verdicts {
			for _, f := range v.Findings {
				if v.Promise == test.promise && f.Scenario == test.scenario {
					found = true
					if f.Text != test.want {
						t.Errorf("%s in %s:\n%s\nwant\n%s", test.promise, test.scenario, f.Text, test.want)
					}
				}
			}
		}
		if !found {
			t.Errorf("%s has no finding in %s", test.promise, test.scenario)
		}
	}
}

func TestOthersAreDescribed(t *testing.T) {
	r := testReport()
	_, a := r.result("threshold", "v1.55.2")
	a.Collect.P999, a.Collect.Unanswered, a.Events.Lost = 1000, 7, 3
	a.Trouble = []string{"did not stop"}
	_, a = r.result(outageLongName, "v1.55.2")
	a.Events.Late, a.Peak.MemoryMB = 9, 100
	r.judge()
	for _, want := range []Finding{
		{Arm: "v1.55.2", Scenario: "threshold", Text: "p99.9 of /collect is 1.00 s, 2.00× the sink's time, " +
			"250× its own instant; 3 events lost, 0 repeated; 7 requests unanswered; did not stop"},
		{Arm: "v1.55.2", Scenario: outageLongName, Text: "p99.9 of /collect is 4.00 ms, " +
			"1.00× its own instant; 0 events lost, 0 repeated, 9 out of order; 100 MB, 2.50× that of crowd"},
	} {
		if !slices.Contains(r.Others, want) {
			t.Errorf("%+v is not among %+v", want, r.Others)
		}
	}
	if len(r.Others) != 2*len(r.Scenarios) {
		t.Errorf("%d findings on two arms in %d scenarios", len(r.Others), len(r.Scenarios))
	}
}

// What the README claims and what the proof judges must be the same.
func TestReadmeClaims(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| *([PE]\d) *\|.*\| *(holds|not yet)\b[^|]*\|\s*$`)
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
	if got, err := pick("arm", serviceArms(), name, []string{exportersName, forkName}); err != nil || len(got) != 2 || !got[0].Exporters {
		t.Errorf("pick of the exporters: %+v, %v", got, err)
	}
	if got, err := pick("arm", Arms(), name, nil); err != nil || len(got) != len(Arms()) {
		t.Errorf("pick all: %+v, %v", got, err)
	}
	_, err = pick("arm", Arms(), name, []string{"v1.0.0"})
	if unknown := (*UnknownError)(nil); !errors.As(err, &unknown) || !strings.Contains(err.Error(), forkName) {
		t.Errorf("pick of an unknown arm: %v", err)
	}
}
