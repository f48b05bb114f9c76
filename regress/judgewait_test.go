package regress

import "testing"

func TestWait(t *testing.T) {
	// slow sets the p99.9 of /collect and of /check.
	slow := func(scenario string, collect, check float64) func(*Report) {
		return in(scenario, func(a *ArmResult) { a.Collect.P999, a.Check.P999 = collect, check })
	}
	failed := func(scenario string, n int64) func(*Report) {
		return in(scenario, func(a *ArmResult) { a.Collect.Failed, a.Events.Refused = n, n })
	}
	checkJudge(t, "P1", delayed, []judgement{
		{"as slow as twice the yardstick", slow("threshold", 8, 4), Pass},
		{"slower than that, far below the sink", slow("threshold", 9, 4), Undecided},
		{"half of the sink's time", slow("threshold", 250, 4), Undecided},
		{"more than half of it", slow("threshold", 251, 4), Fail},
		{"the sink's time when it is short", slow("timer", 65, 4), Fail},
		{"the sink's time in nonbulk", slow("nonbulk", 100, 4), Fail},
		{"the mean jitter", slow("jitter", 3565, 4), Fail},
		{"an upload in the outage", slow(outageName, 65, 4), Fail},
		{"the whole outage", slow(outageName, 10_000, 4), Fail},
		{"the hung exporter", slow(hungName, 10_000, 4), Fail},
		{"evaluations that wait", in("threshold", func(a *ArmResult) { a.Evaluation.P999 = 251 }), Fail},
		{"evaluations that are slow", in("threshold", func(a *ArmResult) { a.Evaluation.P999 = 9 }), Undecided},
		{"evaluations as slow as /check", in("threshold", func(a *ArmResult) { a.Evaluation.P999, a.Check.P999 = 16, 9 }), Pass},
		{"evaluations do not excuse /collect", in("threshold", func(a *ArmResult) { a.Collect.P999, a.Evaluation.P999 = 300, 300 }), Fail},
		{"a yardstick that could hide the sink", func(r *Report) {
			slow(instantName, 300, 4)(r)
			slow("threshold", 500, 4)(r)
		}, Undecided},
		{"a pause that hit /check, too", slow("timer", 14.6, 16.1), Pass},
		{"twice /check", slow("timer", 14.6, 7.3), Pass},
		{"more than twice /check", slow("timer", 14.6, 7.2), Undecided},
		{"a pause so long that it could hide the sink", slow("timer", 20, 33), Undecided},
		{"a machine that slows every request", slow("threshold", 500, 250), Undecided},
		{"a machine that does not explain it", slow("threshold", 501, 250), Fail},
		{"a library that leaves the service no processor is never passed", func(r *Report) {
			for _, s := range delayed {
				in(s, func(a *ArmResult) { a.Collect.P999, a.Evaluation.P999, a.Check.P999 = 20_000, 20_000, 20_000 })(r)
			}
		}, Undecided},
		{"a fail is not covered by something undecided", func(r *Report) {
			slow("timer", 20, 4)(r)
			slow("threshold", 500, 4)(r)
			slow("nonbulk", 20, 4)(r)
		}, Fail},
		{"another arm waits", func(r *Report) { _, a := r.result("threshold", "v1.55.2"); a.Collect.P999 = 9000 }, Pass},
		{"no yardstick", without(instantName), Undecided},
		{"an unanswered evaluation", in("nonbulk", func(a *ArmResult) { a.Evaluation.Unanswered = 1 }), Fail},
		{"a failed request", failed("nonbulk", 1), Undecided},
		{"hardly a request that did not fail", in("timer", func(a *ArmResult) { a.Collect.Failed, a.Collect.Requests = 5000, 5 }), Undecided},
		{"no request that did not fail", in("timer", func(a *ArmResult) { a.Collect.Failed, a.Collect.Requests = 5000, 0 }), Undecided},
		{"a wait that ends in a failure", func(r *Report) {
			failed("threshold", 1)(r)
			slow("threshold", 501, 4)(r)
		}, Fail},
		{"a failed request of the yardstick", failed(instantName, 1), Undecided},
		{"an unanswered request of the yardstick", in(instantName, func(a *ArmResult) { a.Collect.Unanswered = 1 }), Undecided},
		{"a failed request of the warm-up", in("timer", func(a *ArmResult) { a.Events.Refused = 1 }), Pass},
	})
}
