package regress

import "slices"

// promise is one of the promises of the project, and the claim that the README makes about it now. Those with a P are about the
// fork, those with an E about this module's exporters on the plain library.
type promise struct {
	id    string
	text  string
	holds bool // the README claims it: a fail then fails the proof

	// judge looks at what was measured. For a promise that is not claimed yet only its findings are used.
	judge func(*Report) (Outcome, []Finding)
}

// promises lists them all. This is the one place where claims are made in code; a test holds it against the README.
var promises = []promise{
	{id: "P1", text: "AddEvent never waits for an export, however slow or hung the sink", holds: true, judge: judgeWait},
	{id: "P2", text: "each exporter sees the events of one caller in order", holds: true, judge: judgeOrder},
	{id: "P3", text: "every event is exported once while the sink is well: none lost, none repeated", holds: true, judge: judgeEvents},
	{id: "P4", text: "a retry hands over the identical batch under the same name", holds: true, judge: judgeRetry},
	{id: "P5", text: "memory is bounded while a sink is down", holds: true, judge: judgeMemory},
	{id: "P6", text: "a hung exporter never delays another one, shutdown included", holds: true, judge: judgeNeighbour},
	{id: "P7", text: "Stop returns by a deadline and leaves no goroutine", holds: true, judge: judgeStop},
	{id: "P8", text: "events added, exported, pending and dropped add up and can be read", holds: true, judge: judgeCounts},
	{id: "E1", text: "with this module's exporters on the plain library every event is stored once, through outages too: none lost, none repeated",
		holds: true, judge: judgeExporters},
}

var (
	// calm are the scenarios in which no export fails and every event must be stored.
	calm = []string{instantName, "timer", "jitter", "threshold", "nonbulk"}
	// delayed are those in which an export takes its time, fails at first, or hangs.
	delayed = []string{"timer", "jitter", "threshold", "nonbulk", outageName, hungName}
	// counted are those in which what the library counts is held against what the clients and S3 saw: all.
	counted = slices.Concat(calm, []string{outageName, crowdName, outageLongName, hungName})
)
