package spool

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"

	"github.com/offlock/offlock/exporter"
)

const taskVariable = "OFFLOCK_SPOOL_TASK"

// task is what a process that a test starts is to do: export batches of numbered events through a spool, and say which of them
// were acknowledged.
type task struct {
	Dir, Ledger string
	Run         int           // names the process: its events are numbered from Run·1e6
	Batches     int           // that it exports
	Failing     float64       // the part of its sink's calls that fail
	FirstFail   int           // calls that fail before the others
	Linger      time.Duration // how long its sink takes to answer at most, after it has taken a batch
	Sync        bool
	CrashAt     int  // the disk operation at which it dies, if above 0
	CrashAfter  bool // when that is done, and not before
	Drain       bool // it waits until all is sent
	Stay        bool // it stays to be killed
}

// runChild is the process.
func runChild(encoded string) {
	var t task
	if err := json.Unmarshal([]byte(encoded), &t); err != nil {
		panic(err)
	}
	say := func(line string) { _, _ = os.Stdout.WriteString(line + "\n") }
	say("started")
	sink := &ledgerSink{path: t.Ledger, failing: t.Failing, firstFail: t.FirstFail, linger: t.Linger}
	var d disk = osDisk{}
	if t.CrashAt > 0 {
		d = &crashDisk{disk: d, at: t.CrashAt, after: t.CrashAfter}
	}
	s, err := newSpool(sink, Options{
		Dir: t.Dir, After: -1, NoSync: !t.Sync, BackoffBase: time.Millisecond, BackoffCap: 4 * time.Millisecond,
	}, d, 20*time.Millisecond)
	if err != nil {
		panic(err)
	}
	number := int64(t.Run) * 1e6
	for i := range t.Batches {
		events := numbered(number, 1+i%4)
		last := number + int64(len(events)) - 1
		b := exporter.Batch{Instance: fmt.Sprint("run-", t.Run), First: number, Last: last, Began: time.Unix(1e9, 0)}
		for b.Attempt = 1; s.Export(exporter.WithBatch(context.Background(), b), nil, events) != nil; b.Attempt++ {
		}
		say(fmt.Sprintf("ack %d %d", number, last))
		number = last + 1
	}
	for t.Drain && s.Stats().Files > 0 {
		time.Sleep(time.Millisecond)
	}
	if t.Stay {
		select {}
	}
	if err := s.Stop(context.Background()); err != nil {
		panic(err)
	}
	now := s.Stats()
	say(fmt.Sprintf("done %d", now.Spooled))
	if now.Spooled+now.Adopted != now.Sent+now.Left || now.SetAside+now.Missing+now.Dropped != 0 {
		panic(fmt.Sprintf("%+v", now))
	}
}

func numbered(from int64, n int) []ffexporter.ExportableEvent {
	events := make([]ffexporter.ExportableEvent, n)
	for i := range events {
		events[i] = ffexporter.FeatureEvent{Kind: "feature", Key: "flag", UserKey: "user", Value: from + int64(i)}
	}
	return events
}

// ledgerSink writes a line a batch, in one call, to a file that other processes write to as well. It fails before that, or not
// at all.
type ledgerSink struct {
	path      string
	failing   float64
	firstFail int
	linger    time.Duration
}

func (k *ledgerSink) IsBulk() bool { return true }

func (k *ledgerSink) Export(ctx context.Context, _ *fflog.FFLogger, events []ffexporter.ExportableEvent) error {
	if k.firstFail > 0 || rand.Float64() < k.failing {
		k.firstFail--
		return errors.New("the sink is down")
	}
	b, _ := exporter.BatchFrom(ctx)
	line := fmt.Sprintf("%d %s/%d-%d/%d", os.Getpid(), b.Instance, b.First, b.Last, b.Began.Unix())
	for _, event := range events {
		line += fmt.Sprint(" ", event.(ffexporter.FeatureEvent).Value)
	}
	file, err := os.OpenFile(k.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(line + "\n") // one write, which a kill does not divide; SIGKILL takes nothing from the page cache
	time.Sleep(rand.N(k.linger + 1))
	return errors.Join(err, file.Close())
}

// child is a process that a test started.
type child struct {
	process *os.Process
	wait    func() error
	lines   *bufio.Scanner
}

func start(t *testing.T, work task) *child {
	t.Helper()
	encoded, err := json.Marshal(work)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), taskVariable+"="+string(encoded))
	var failure strings.Builder
	command.Stderr = &failure
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	c := &child{process: command.Process, lines: bufio.NewScanner(out)}
	c.wait = func() error {
		err := command.Wait()
		if failure.Len() > 0 {
			return fmt.Errorf("%w: %s", errors.Join(err, io.ErrUnexpectedEOF), failure.String())
		}
		return err
	}
	return c
}

// acknowledged reads what the process says until it ends, and returns the numbers of the events that were acknowledged.
func (c *child) acknowledged() (numbers []int64, spooled int) {
	for c.lines.Scan() {
		var first, last int64
		if n, _ := fmt.Sscanf(c.lines.Text(), "ack %d %d", &first, &last); n == 2 {
			for ; first <= last; first++ {
				numbers = append(numbers, first)
			}
		}
		_, _ = fmt.Sscanf(c.lines.Text(), "done %d", &spooled)
	}
	return numbers, spooled
}

// crashDisk ends the process with SIGKILL at one of its operations; a write of data that is done halfway.
type crashDisk struct {
	disk
	at    int
	after bool
	mu    sync.Mutex // guards done, and is held for good by who dies
	done  int
}

// step is called before each operation, with what is to be done before the end, and returns what is to be called after it.
func (d *crashDisk) step(half func()) (after func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done++
	if d.done != d.at {
		return func() {}
	}
	if !d.after {
		half()
		die()
	}
	return die
}

func die() {
	self, _ := os.FindProcess(os.Getpid())
	_ = self.Kill()
	select {}
}

func nothing() {}

func (d *crashDisk) Write(name string, data []byte, sync bool) error {
	defer d.step(func() { _ = d.disk.Write(name, data[:len(data)/2], false) })()
	return d.disk.Write(name, data, sync)
}

func (d *crashDisk) Mkdir(name string) error {
	defer d.step(nothing)()
	return d.disk.Mkdir(name)
}

func (d *crashDisk) Rename(from, to string) error {
	defer d.step(nothing)()
	return d.disk.Rename(from, to)
}

func (d *crashDisk) Remove(name string) error {
	defer d.step(nothing)()
	return d.disk.Remove(name)
}

func (d *crashDisk) SyncDir(name string) error {
	defer d.step(nothing)()
	return d.disk.SyncDir(name)
}
