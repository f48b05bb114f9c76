package modeltest

// storeFaults change what a caller gets, or when it is told.
var storeFaults = []fault{
	{
		name:  "off by one at a segment's end",
		edits: []edit{{"batch.go", "min(b.end, g.end)\n", "min(b.end, g.end-1)\n"}},
		found: []string{byModel, byLinear, byFuzz, byOrder},
	},
	{
		name: "a commit moves past what was fetched",
		edits: []edit{{"fetch.go", "	c.batch = Batch[T]{}\n	c.inBurst = false\n",
			"	c.batch = Batch[T]{}\n	c.next = s.endLocked()\n	c.inBurst = false\n"}},
		found: []string{byModel, byLinear, byFuzz, byOrder},
	},
	{
		name: "a commit stays one event behind",
		edits: []edit{{"fetch.go", "	c.batch = Batch[T]{}\n	c.inBurst = false\n",
			"	c.batch = Batch[T]{}\n	c.next = max(c.next-1, c.seg.base)\n	c.inBurst = false\n"}},
		found: []string{byFuzz, byOrder},
	},
	{
		name:  "a drop without count",
		edits: []edit{{"fetch.go", "	c.dropped += step\n", ""}},
		found: []string{byModel, byLinear, byChurn},
	},
	{
		name: "a drop from the batch in flight",
		edits: []edit{{"fetch.go", "	c.next += step\n",
			"	c.next += step\n	if c.batch.Len() > 1 {\n		c.batch.first++\n	}\n"}},
		found: []string{byModel},
	},
	{
		name:  "a drop gives up segments of the batch in flight",
		edits: []edit{{"fetch.go", "(c.batch.Len() == 0 || g.base >= c.batch.end) && g.unref() {\n			dead.add(g)\n		}\n	}\n}", "g.unref() {\n			dead.add(g)\n		}\n	}\n}"}},
		found: []string{byModel},
	},
	{
		name:  "a batch is not frozen on a retry",
		edits: []edit{{"fetch.go", "	if c.batch.Len() > 0 || c.closed ||", "	if c.closed ||"}},
		found: []string{byModel, byLinear},
	},
	{
		name:  "the threshold is not armed again after a commit",
		edits: []edit{{"fetch.go", "		c.advanceLocked(&dead)\n		c.armLocked()\n", "		c.advanceLocked(&dead)\n"}},
		found: []string{byModel},
	},
	{
		name: "the limit is not set again after a commit",
		edits: []edit{{"fetch.go", "		c.armLocked()\n	}\n	part := s.clearableLocked()\n	s.setLimitLocked()\n",
			"		c.armLocked()\n	}\n	part := s.clearableLocked()\n"}},
		found: []string{byFuzz, byDue},
	},
	{
		name:  "the limit is not set again after Configure",
		edits: []edit{{"consumer.go", "	c.setLocked(o)\n	c.store.setLimitLocked()\n", "	c.setLocked(o)\n"}},
		found: []string{byModel},
	},
	{
		name:  "the first drop of a burst wakes nobody",
		edits: []edit{{"store.go", "rang = c.dropLocked(end, &dead) || rang", "c.dropLocked(end, &dead)"}},
		found: []string{byModel, byFuzz},
	},
	{
		name:  "the store does not hold its tail",
		edits: []edit{{"store.go", "g.refs.Store(int32(len(s.consumers)) + 1)", "g.refs.Store(int32(len(s.consumers)))"}},
		found: []string{byFuzz, byOrder},
	},
	{
		name:  "a consumer that is added does not hold the tail",
		edits: []edit{{"consumer.go", "	c.seg.refs.Add(1) // the store has one, so it is above zero\n", ""}},
		found: []string{byFuzz},
	},
	{
		name:  "the batch in flight of a closed consumer is forgotten",
		edits: []edit{{"fetch.go", "s.dropConsumerLocked(c, b.Len() > 0)", "s.dropConsumerLocked(c, false)"}},
		found: []string{byModel},
	},
}
