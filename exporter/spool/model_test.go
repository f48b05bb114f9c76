package spool

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/offlock/offlock/exporter"
)

// model is a spool as one would describe it, without files, goroutines or locks. Its times are seconds.
type model struct {
	after, maxAge time.Duration
	maxBytes      int64

	up, full bool // the sink, the disk
	failing  time.Time
	waiting  []modelFile
	taken    []int64
	dropped  int
}

type modelFile struct {
	number int64
	at     time.Time
	size   int64
}

// export says whether the batch is acknowledged.
func (m *model) export(number, size int64, stopping bool) bool {
	if len(m.waiting) == 0 {
		if m.up {
			m.taken, m.failing = append(m.taken, number), time.Time{}
			return true
		}
		m.fail()
		if !stopping && m.after >= 0 && time.Since(m.failing) < m.after {
			return false
		}
	}
	if m.full {
		return false
	}
	first := len(m.waiting) == 0
	m.waiting = append(m.waiting, modelFile{number, time.Now(), size})
	for m.bytes() > m.maxBytes {
		m.waiting = m.waiting[1:]
		m.dropped++
	}
	if first {
		m.attempt()
	}
	return true
}

func (m *model) fail() {
	if m.failing.IsZero() {
		m.failing = time.Now()
	}
}

func (m *model) bytes() (sum int64) {
	for _, f := range m.waiting {
		sum += f.size
	}
	return sum
}

// attempt is one of the sender's, which come each half second while something waits, and at once after the first batch.
func (m *model) attempt() {
	for len(m.waiting) > 0 && m.waiting[0].at.Before(time.Now().Add(-m.maxAge)) {
		m.waiting = m.waiting[1:]
		m.dropped++
	}
	if len(m.waiting) > 0 && !m.up {
		m.fail()
	}
	for ; len(m.waiting) > 0 && m.up; m.waiting = m.waiting[1:] {
		m.taken, m.failing = append(m.taken, m.waiting[0].number), time.Time{}
	}
}

// operation is what the test does next.
type operation struct {
	kind    string
	seconds int
	events  int
}

// Random operations end as the model says, after each of them: what is acknowledged, what waits, what was sent and in which order.
func TestSpoolAgainstModel(t *testing.T) {
	operations := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) operation {
		return operation{
			kind:    rapid.SampledFrom([]string{"export", "export", "export", "stopping", "sink", "disk", "wait", "wait", "restart"}).Draw(t, "kind"),
			seconds: rapid.SampledFrom([]int{1, 2, 5, 60, 400}).Draw(t, "seconds"),
			events:  rapid.IntRange(1, 3).Draw(t, "events"),
		}
	}), 1, 60)
	dropped, waited, refused := 0, 0, 0
	rapid.Check(t, func(r *rapid.T) {
		m := &model{
			after:    rapid.SampledFrom([]time.Duration{-1, 2 * time.Second, time.Minute}).Draw(r, "after"),
			maxAge:   rapid.SampledFrom([]time.Duration{10 * time.Second, 5 * time.Minute}).Draw(r, "maxAge"),
			maxBytes: rapid.SampledFrom([]int64{600, 1000, 1 << 20}).Draw(r, "maxBytes"),
		}
		plan := operations.Draw(r, "operations")
		var failure string
		synctest.Test(t, func(t *testing.T) { failure = runModel(t, m, plan, &waited, &refused) })
		if failure != "" {
			r.Fatal(failure)
		}
		dropped += m.dropped
	})
	if !testing.Short() && (dropped == 0 || waited == 0 || refused == 0) { // -short has few of them
		t.Errorf("%d drops, %d batches that waited, %d refusals: the test shows nothing", dropped, waited, refused)
	}
}

// runModel runs the operations on a spool and on the model, and says where they part.
func runModel(t *testing.T, m *model, plan []operation, waited, refused *int) (failure string) {
	sink, d := &fakeSink{}, &faultyDisk{disk: osDisk{}}
	o := Options{
		Dir: filepath.Join(t.TempDir(), "spool"), After: m.after, MaxAge: m.maxAge, MaxBytes: m.maxBytes, NoSync: true,
		BackoffBase: time.Second, BackoffCap: time.Second, Rand: func() float64 { return 0.5 },
	}
	sink.set(down)
	begin := func() *Spool {
		s, err := newSpool(sink, o, d, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		synctest.Wait()
		return s
	}
	s := begin()
	defer func() { _ = s.Stop(context.Background()) }()
	number, before := int64(0), int64(0)
	for i, op := range plan {
		switch op.kind {
		case "export", "stopping":
			b := exporter.Batch{Instance: "test", First: number, Last: number + int64(op.events) - 1, Attempt: 1, Stopping: op.kind == "stopping"}
			events := numbered(number, op.events)
			file, err := s.encode(untried(b), events)
			if err != nil {
				t.Fatal(err)
			}
			want := m.export(number, int64(len(file)), b.Stopping)
			if err := s.Export(exporter.WithBatch(context.Background(), b), nil, events); (err == nil) != want {
				return fmt.Sprintf("operation %d, export of %d: %v, the model says %v", i, number, err, want)
			} else if err == nil {
				number += int64(op.events)
			} else {
				*refused++
			}
		case "sink":
			m.up = !m.up
			sink.set(map[bool]func(context.Context, exporter.Batch) error{false: down}[m.up])
		case "disk":
			m.full = !m.full
			d.set(map[bool]func(string, string) error{true: failing("write", syscall.ENOSPC)}[m.full])
		case "wait":
			for range 2 * op.seconds {
				time.Sleep(time.Second / 2)
				m.attempt()
			}
		case "restart":
			if m.full {
				continue // New refuses such a disk
			}
			if err := s.Stop(context.Background()); err != nil {
				return err.Error()
			}
			before += s.Stats().Dropped
			m.failing = time.Time{}
			m.attempt()
			s = begin()
		}
		synctest.Wait()
		*waited = max(*waited, len(m.waiting))
		now := s.Stats()
		if now.Files != len(m.waiting) || now.Bytes != m.bytes() || int(before+now.Dropped) != m.dropped || !now.Failing.Equal(m.failing) {
			return fmt.Sprintf("operation %d, %s: %+v, %d dropped before; the model says %+v", i, op.kind, now, before, m)
		}
		if took := sink.tookFirsts(); !slices.Equal(took, m.taken) {
			return fmt.Sprintf("operation %d, %s: sent %v, the model says %v", i, op.kind, took, m.taken)
		}
		if now.Spooled+now.Adopted != int64(now.Files)+now.Sent+now.Dropped {
			return fmt.Sprintf("operation %d, %s: %+v does not add up", i, op.kind, now)
		}
	}
	return ""
}
