package spool

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Processes on one folder are killed at any moment, a few at a time. Nothing that Export acknowledged is lost, and nothing comes
// twice but the one batch that a process was sending when it was killed, under the same name.
func TestKilledAtAnyMoment(t *testing.T) {
	kills, atOnce := 400, 3
	if testing.Short() {
		kills = 40
	}
	dir, ledger := filepath.Join(t.TempDir(), "spool"), filepath.Join(t.TempDir(), "ledger")
	var mu sync.Mutex // guards the next two
	acknowledged, killed := []int64{}, 0
	var all sync.WaitGroup
	for lane := range atOnce {
		all.Go(func() {
			for run := lane; run < kills; run += atOnce {
				c := start(t, task{Dir: dir, Ledger: ledger, Run: run + 1, Batches: 60, Failing: 0.5, Linger: 2 * time.Millisecond, Sync: run%2 == 0, Stay: true})
				c.lines.Scan() // it says that it has started
				moment := time.AfterFunc(time.Duration(rand.Int64N(int64(40*time.Millisecond))), func() { _ = c.process.Kill() })
				numbers, _ := c.acknowledged()
				moment.Stop()
				_ = c.process.Kill() // it may have ended by itself, which the next line finds
				err := c.wait()
				mu.Lock()
				if err == nil || !strings.Contains(err.Error(), "killed") {
					t.Errorf("run %d: %v, want it killed", run, err)
				}
				killed++
				acknowledged = append(acknowledged, numbers...)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	adopted := drain(t, dir, ledger)
	repeats := checkLedger(t, ledger, acknowledged)
	t.Logf("%d kills, %d events acknowledged, %d batches left to the last process, %d sent twice", killed, len(acknowledged), adopted, repeats)
	if len(acknowledged) == 0 || killed != kills {
		t.Error("nothing was acknowledged, or not all were killed: the test shows nothing")
	}
}

// A process dies before, in or after each operation on the disk that it makes.
func TestKilledAtEachStep(t *testing.T) {
	every := 1
	if testing.Short() {
		every = 7
	}
	steps, sent := 0, 0
	for at := 1; ; at += every {
		finished := 0
		for _, after := range []bool{false, true} {
			dir, ledger := filepath.Join(t.TempDir(), "spool"), filepath.Join(t.TempDir(), "ledger")
			c := start(t, task{Dir: dir, Ledger: ledger, Run: 1, Batches: 4, FirstFail: 3, Sync: true, Drain: true, CrashAt: at, CrashAfter: after})
			acknowledged, _ := c.acknowledged()
			if err := c.wait(); err == nil {
				finished++
			} else if !strings.Contains(err.Error(), "killed") {
				t.Fatal(err)
			}
			sent += drain(t, dir, ledger)
			checkLedger(t, ledger, acknowledged)
			steps++
		}
		if finished == 2 {
			break
		}
	}
	t.Logf("%d processes, %d batches left to the next one", steps, sent)
	if sent == 0 {
		t.Error("no process left a batch: the test shows nothing")
	}
}

// Two processes work on one folder at the same time, and end in their own time: every event comes once.
func TestTwoProcesses(t *testing.T) {
	dir, ledger := filepath.Join(t.TempDir(), "spool"), filepath.Join(t.TempDir(), "ledger")
	batches := 300
	if testing.Short() {
		batches = 60
	}
	var acknowledged []int64
	spooled := 0
	for round := range 3 {
		var pair []*child
		for i := range 2 {
			// One of them leaves what it has on disk to the other, or to the next pair.
			pair = append(pair, start(t, task{Dir: dir, Ledger: ledger, Run: 2*round + i + 1, Batches: batches, Failing: 0.3, Drain: i == 0}))
		}
		for _, c := range pair {
			numbers, files := c.acknowledged()
			if err := c.wait(); err != nil {
				t.Fatal(err)
			}
			acknowledged = append(acknowledged, numbers...)
			spooled += files
		}
	}
	drain(t, dir, ledger)
	if repeats := checkLedger(t, ledger, acknowledged); repeats != 0 {
		t.Errorf("%d batches came twice, with nobody killed", repeats)
	}
	t.Logf("%d events, %d batches on disk", len(acknowledged), spooled)
	if spooled == 0 {
		t.Error("no batch went to disk: the test shows nothing")
	}
}

// drain is the healthy process after the others: it sends all that is left, and says how many batches that was.
func drain(t *testing.T, dir, ledger string) int {
	t.Helper()
	s, err := New(&ledgerSink{path: ledger}, Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	eventually(t, func() bool { return s.Stats().Files == 0 })
	if err := s.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	now := s.Stats()
	if now.Adopted != now.Sent {
		t.Errorf("the last process did not send what it found: %+v", now)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("the folder holds %v at the end, %v", left, err)
	}
	return int(now.Adopted)
}

func eventually(t *testing.T, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it did not come about in 30 s")
		}
	}
}

// checkLedger fails the test if an acknowledged event is not in the ledger, or if a batch is in it twice and was not the last one
// that its first sender sent. It returns how many were.
func checkLedger(t *testing.T, path string, acknowledged []int64) (repeats int) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	seen := map[int64]string{}  // the batch of an event
	line := map[string]string{} // what a batch said
	last := map[string]string{} // the last batch of a process
	sender := map[string]string{}
	type repeat struct{ batch, first string }
	var again []repeat
	for scanner := bufio.NewScanner(strings.NewReader(string(content))); scanner.Scan(); {
		process, rest, _ := strings.Cut(scanner.Text(), " ")
		batch, numbers, _ := strings.Cut(rest, " ")
		if said, twice := line[batch]; twice {
			if said != numbers {
				t.Errorf("batch %s had events %s, and %s when it was sent again", batch, said, numbers)
			}
			again = append(again, repeat{batch, sender[batch]})
		}
		line[batch], sender[batch], last[process] = numbers, process, batch
		for _, field := range strings.Fields(numbers) {
			var number int64
			if _, err := fmt.Sscan(field, &number); err != nil {
				t.Fatalf("line %q: %v", scanner.Text(), err)
			}
			if other, ok := seen[number]; ok && other != batch {
				t.Errorf("event %d is in batch %s and in %s", number, other, batch)
			}
			seen[number] = batch
		}
	}
	for _, r := range again {
		if last[r.first] != r.batch {
			t.Errorf("batch %s was sent twice, and its first sender was not killed at it but went on to %s", r.batch, last[r.first])
		}
	}
	lost := slices.DeleteFunc(slices.Clone(acknowledged), func(number int64) bool { return seen[number] != "" })
	if len(lost) > 0 {
		t.Errorf("%d of %d acknowledged events are lost, the first is %d", len(lost), len(acknowledged), lost[0])
	}
	return len(again)
}
