package modeltest

// memoryFaults keep what nobody needs.
var memoryFaults = []fault{
	{
		name:  "the front of a segment is not cleared",
		edits: []edit{{"clear.go", "	clear(p.seg.items[p.from:p.to])\n", ""}},
		found: []string{byFuzz, byCleared},
	},
	{
		name:  "an array is not cleared before it is used again",
		edits: []edit{{"segment.go", "		clear(items[g.cleared:])\n", ""}},
		found: []string{byFuzz, byCleared},
	},
	{
		name:  "arrays are never given back",
		edits: []edit{{"segment.go", "	s.free.push(first, last, p.count)\n", ""}},
		found: []string{bySteady},
	},
	{
		name:  "nobody fills the stock of arrays",
		edits: []edit{{"loop.go", "		l.consumer.store.restock()\n", ""}},
		found: []string{byStock},
	},
	{
		name:  "a drop keeps the memory",
		edits: []edit{{"fetch.go", "	c.dropped += step\n	c.advanceLocked(dead)\n", "	c.dropped += step\n"}},
		found: []string{byFuzz, byBound, byHeap},
	},
	{
		name:  "a used-up header leads to the next",
		edits: []edit{{"segment.go", "		g.next.Store(nil)\n", ""}},
		found: []string{byFuzz, byHeaders},
	},
	{
		name:  "a batch keeps the segment before it",
		edits: []edit{{"fetch.go", "	c.advanceLocked(&dead) // from", "	// from"}},
		found: []string{byFuzz, byHung},
	},
	{
		name:  "of two that are as slow, the one in the later segment is cleared for",
		edits: []edit{{"clear.go", "at < pos || at == pos && g.base < seg.base", "at < pos"}},
		found: []string{byTwo},
	},
}

// timingFaults need several goroutines to show. Each lets others in where the mistake is, so that it shows soon.
var timingFaults = []fault{
	{
		name: "a late fetch moves the cursor although a drop or a commit was first",
		edits: []edit{
			{"fetch.go", "	if c.seg == b.seg && c.batch == b && last != nil {", "	if !c.closed && last != nil {"},
			{"fetch.go", "	last := b.seg\n", "	last := b.seg\n	runtime.Gosched()\n"},
			{"fetch.go", "package eventstore\n", "package eventstore\n\nimport \"runtime\"\n"},
		},
		found: []string{byCommit},
	},
	{
		name: "a segment's event and its count are set in two steps",
		edits: []edit{
			{"store.go", "	s.items[s.n] = *event\n	s.n++\n	var dead", "	s.items[s.n] = *event\n	s.mu.Unlock()\n	runtime.Gosched()\n	s.mu.Lock()\n	s.n = min(s.n+1, len(s.items))\n	var dead"},
			{"store.go", "import (\n", "import (\n	\"runtime\"\n"},
		},
		found: []string{byLinear, byOrder},
	},
	{
		name: "a commit counts in a second step",
		edits: []edit{
			{"fetch.go", "	*count += int64(b.Len())\n", ""},
			{"fetch.go", "	c.signal()\n	for g := b.seg;", "	c.signal()\n	runtime.Gosched()\n	s.mu.Lock()\n	*count += int64(b.Len())\n	s.mu.Unlock()\n	for g := b.seg;"},
			{"fetch.go", "package eventstore\n", "package eventstore\n\nimport \"runtime\"\n"},
		},
		found: []string{byLinear},
	},
}
