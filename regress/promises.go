package regress

// promise is one of the promises of the project, and the claim that the README makes about it now.
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
	{id: "P2", text: "each exporter sees the events of one caller in order", judge: unmeasured},
	{id: "P3", text: "every event is exported once while the sink is well: none lost, none repeated", holds: true, judge: judgeEvents},
	{id: "P4", text: "a retry hands over the identical batch under the same name", judge: showOutageEvents},
	{id: "P5", text: "memory is bounded while a sink is down", judge: showOutageMemory},
	{id: "P6", text: "a hung exporter never delays another one, shutdown included", judge: unmeasured},
	{id: "P7", text: "Stop returns by a deadline and leaves no goroutine", judge: unmeasured},
	{id: "P8", text: "events added, exported, pending and dropped add up and can be read", judge: unmeasured},
}

// calm are the scenarios in which no export fails.
var calm = []string{instantName, "timer", "jitter", "threshold", "nonbulk"}

// delayed are those of them in which an export takes its time.
var delayed = calm[1:]
