package modeltest

import "slices"

// The tests that find faults. Each of the first four must find some.
const (
	byModel  = "TestStoreModel"
	byLinear = "TestStoreLinearizable"
	byFuzz   = "FuzzStore"
	byPump   = "TestPumpModel"

	byOrder   = "TestStoreConcurrentSafeOrder"
	byChurn   = "TestStoreConcurrentSafeChurn"
	byCommit  = "TestStoreConcurrentSafeCommit"
	byDue     = "TestStoreConcurrentSafeDue"
	byHeap    = "TestMemoryHeapOfDeadConsumer"
	byBound   = "TestMemoryDeadConsumer"
	bySteady  = "TestMemoryAppendAllocatesNothing"
	byStock   = "TestPumpRestocks"
	byCleared = "TestClearAfterCommit"
	byHung    = "TestClearWithHungBatch"
	byTwo     = "TestClearOfTwoAsSlow"
	byHeaders = "TestClearHeaders"
)

// fault is one that somebody could make: edits of eventstore's files, and the tests that must fail with it.
type fault struct {
	name  string
	edits []edit
	found []string
}

// edit replaces a text that occurs exactly once in a file.
type edit struct{ file, old, new string }

// faults are all of them.
var faults = slices.Concat(storeFaults, memoryFaults, timingFaults, pumpFaults)
