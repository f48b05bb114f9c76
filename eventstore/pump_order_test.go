package eventstore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// moody is a handler that reads all that it is handed, and then does well or not.
type moody struct {
	well    bool // it always succeeds
	turns   int  // it rests for so many
	random  *rand.Rand
	pump    *Pump[numbered]
	books   ledger
	last    Attempt // that failed
	running atomic.Int32
	hung    int // calls that did not return in time
	broken  error
}

func (m *moody) handle(ctx context.Context, b Batch[numbered]) error {
	if m.running.Add(1) > 1 {
		return m.breach(errors.New("two calls at a time"))
	}
	defer m.running.Add(-1)
	a, _ := AttemptFrom(ctx)
	if a.First != b.First() || a.Last != b.Last() || m.last.Number > 0 && (a.First != m.last.First || a.Last != m.last.Last) || a.Number != m.last.Number+1 {
		return m.breach(fmt.Errorf("after %+v: %+v", m.last, a))
	}
	after, err := m.books.read(b, false)
	if err != nil {
		return m.breach(err)
	}
	yield(m.turns)
	m.last = a
	if !m.well {
		switch mood := m.random.IntN(60); {
		case mood < 10:
			return errors.New("the sink says no")
		case mood < 20:
			panic("at the sink")
		case mood < 21: // later than its context, by as much as it takes to be abandoned
			m.hung++
			for !m.pump.Stats().Hung {
				yield(1)
			}
			if m.random.IntN(2) == 0 {
				<-ctx.Done() // its timer may be later than the pump's on a busy machine
				return ctx.Err()
			}
		}
	}
	m.books, m.last = after, Attempt{}
	return nil
}

// breach notes a broken promise, and lets the test go on to its end.
func (m *moody) breach(err error) error {
	m.broken = errors.Join(m.broken, err)
	return nil
}

// TestPumpConcurrentSafeOrder: 64 producers and four pumps, two of which are well, at different speeds, while the handlers of two
// fail, panic, and hang until they are abandoned: everything is handled, in order; once by a handler that is well, and by the
// others until it succeeds, as the same batch.
func TestPumpConcurrentSafeOrder(t *testing.T) {
	const producers, window = 64, 20_000
	each := uint64(stressEvents() / producers)
	total := int64(each * producers)
	s, err := New[numbered](Options{SegmentSize: 32})
	if err != nil {
		t.Fatal(err)
	}
	handlers := []*moody{{well: true}, {well: true, turns: 20}, {}, {turns: 5}}
	var consumers []*Consumer[numbered]
	var pumps []interface{ Stop(context.Context) error }
	for i, m := range handlers {
		c := addTo(t, s, fmt.Sprint(i), ConsumerOptions{Threshold: 1000, MaxLag: math.MaxInt})
		o := PumpOptions{Interval: time.Millisecond, MaxBatch: 5000, BackoffBase: 1, BackoffCap: time.Microsecond}
		if !m.well {
			o.Timeout = time.Millisecond
		}
		m.books, m.random = fromTheStart(), rand.New(rand.NewPCG(uint64(i), 3))
		if m.pump, err = NewPump(c, m.handle, o); err != nil {
			t.Fatal(err)
		}
		m.pump.Start()
		consumers, pumps = append(consumers, c), append(pumps, m.pump)
	}
	var producing sync.WaitGroup
	for p := range producers {
		producing.Go(func() {
			for seq := uint64(1); seq <= each; seq++ {
				s.Append(number(p, seq))
				if seq%64 > 0 {
					continue
				}
				for _, c := range consumers {
					for c.Stats().Lag() > window {
						yield(1)
					}
				}
			}
		})
	}
	producing.Wait()
	s.Close()
	if err := StopAll(context.Background(), pumps...); err != nil {
		t.Error(err)
	}
	for i, m := range handlers {
		got := m.pump.Stats()
		if m.broken != nil {
			t.Errorf("handler %d: %v", i, m.broken)
		}
		if want := (ConsumerStats{Name: fmt.Sprint(i), Added: total, Handled: total}); got.ConsumerStats != want {
			t.Errorf("%+v, want %+v", got.ConsumerStats, want)
		}
		if m.well && got.Failures > 0 || got.Abandoned < int64(m.hung) {
			t.Errorf("handler %d hung %d times: %+v", i, m.hung, got)
		}
		var handled int64
		for _, seq := range m.books.last {
			handled += int64(seq)
		}
		if handled != total {
			t.Errorf("handler %d was handed %d events, want %d", i, handled, total)
		}
		t.Logf("handler %d: %d calls, %d failed, %d of these panicked, %d were abandoned", i, got.Calls, got.Failures, got.Panics, got.Abandoned)
	}
}
