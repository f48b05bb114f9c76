package modeltest

// pumpFaults are mistakes of a pump, with its handler or those who wait for it.
var pumpFaults = []fault{
	{
		name:  "an abandoned call is forgotten, and the next one begins",
		edits: []edit{{"call.go", "	l.call.overdue, l.call.hung = nil, true\n", "	l.call.overdue, l.call.returned = nil, nil\n"}},
		found: []string{byPump},
	},
	{
		name:  "no backoff",
		edits: []edit{{"loop.go", "	l.retry = time.After(wait)\n", ""}},
		found: []string{byPump},
	},
	{
		name:  "the bound of the backoff does not grow",
		edits: []edit{{"backoff.go", "bound = min(2*bound, o.BackoffCap)", "bound = min(bound+1, o.BackoffCap)"}},
		found: []string{byPump},
	},
	{
		name:  "what the sink asks for is not heard",
		edits: []edit{{"backoff.go", "		wait = max(wait, min(asked.wait, MaxRetryAfter))\n", "		_ = asked\n"}},
		found: []string{byPump},
	},
	{
		name:  "a batch that failed is committed",
		edits: []edit{{"loop.go", "			l.fail(err)\n", "			l.fail(err)\n			l.commit()\n"}},
		found: []string{byPump},
	},
	{
		name:  "a flush does not wait",
		edits: []edit{{"flush.go", "	l.waiters = append(l.waiters, f)\n", "	f.result <- nil\n"}},
		found: []string{byPump},
	},
	{
		name:  "a flush waits for the backoff",
		edits: []edit{{"flush.go", "	l.goal = max(l.goal, f.goal)\n	l.retry = nil\n", "	l.goal = max(l.goal, f.goal)\n"}},
		found: []string{byPump},
	},
	{
		name:  "the interval is not kept",
		edits: []edit{{"loop.go", "	l.endBurst(false)\n	l.all()\n", "	l.endBurst(false)\n"}},
		found: []string{byPump},
	},
	{
		name:  "calls outlast Stop",
		edits: []edit{{"stop.go", "	if l.call.cancel != nil {\n		l.call.cancel()\n	}\n", ""}},
		found: []string{byPump},
	},
	{
		name:  "the batch of a call that returns after Stop stays in flight",
		edits: []edit{{"call.go", "		_ = p.consumer.Commit(batch) // it is in flight: the loop left it so\n", ""}},
		found: []string{byPump},
	},
	{
		name:  "a panic is not counted",
		edits: []edit{{"pumpstats.go", "			c.panics++\n", ""}},
		found: []string{byPump},
	},
}
