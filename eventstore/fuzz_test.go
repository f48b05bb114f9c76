package eventstore

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// FuzzStore runs operations that are read from bytes on a store and on the naive model, and compares all that can be
// seen of them after each one, with an audit of the store's memory.
func FuzzStore(f *testing.F) {
	f.Add(uint8(4), []byte("append a few, fetch, commit, and so on"))
	f.Add(uint8(1), []byte{addConsumer, 3, appendSome, 9, fetch, 0, closeConsumer, 0, appendSome, 9, commit, 0})
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 64 {
		script := make([]byte, 600)
		for j := range script {
			script[j] = byte(random.Uint32())
		}
		f.Add(uint8(i), script)
	}
	f.Fuzz(func(t *testing.T, size uint8, script []byte) {
		sizes := []int{1, 2, 3, 4, 5, 7, 9, 16, 64} // from every edge at once to none
		runScript(t, sizes[int(size)%len(sizes)], script)
	})
}

// The operations: the low four bits of a byte, before a byte with the argument.
const (
	appendSome = iota // 0 to 3
	_
	_
	_
	fetch // 4 and 5
	_
	commit // 6 and 7
	_
	discard
	commitAgain
	receive
	addConsumer
	closeConsumer
	reconfigure
	trim
	closeStore
)

// pair is a consumer with its model and what a caller has got from it.
type pair struct {
	real    *Consumer[int64]
	model   *naiveConsumer
	batch   Batch[int64] // the last one
	settled bool         // it was committed or discarded
}

func (p *pair) inFlight() bool { return p.batch.Len() > 0 && !p.settled }

type scripted struct {
	t     *testing.T
	store *Store[int64]
	model *naive
	pairs []*pair
	audit *audit[int64]
	names int
}

func runScript(t *testing.T, size int, script []byte) {
	s, err := New[int64](Options{SegmentSize: size})
	if err != nil {
		t.Fatal(err)
	}
	r := &scripted{t: t, store: s, model: &naive{size: int64(size)}, audit: newAudit(t, s)}
	r.addConsumer(40)
	for i := 0; i+1 < len(script); i += 2 {
		op, who, arg := script[i]%16, int(script[i]/16), int(script[i+1])
		clears := r.step(op, r.pick(who), arg)
		r.compare()
		r.audit.check()
		if clears {
			r.audit.cleared()
		}
	}
}

// pick chooses among the consumers that are open or have a batch in flight.
func (r *scripted) pick(who int) *pair {
	r.pairs = slices.DeleteFunc(r.pairs, func(p *pair) bool { return p.model.closed && !p.inFlight() })
	if len(r.pairs) == 0 {
		r.addConsumer(who)
	}
	return r.pairs[who%len(r.pairs)]
}

// step does one operation on both, and says whether it must have left nothing uncleared.
func (r *scripted) step(op byte, p *pair, arg int) bool {
	switch op {
	case fetch:
		r.receive(p)
		r.fetch(p, arg%20)
	case fetch + 1:
		r.fetch(p, arg%20)
	case commit, commit + 1:
		return r.settle(p, p.real.Commit, &p.model.handled)
	case discard:
		return r.settle(p, p.real.Discard, &p.model.dropped)
	case commitAgain:
		if !p.inFlight() {
			if err := p.real.Commit(p.batch); !errors.Is(err, ErrNotInFlight) {
				r.t.Fatalf("Commit of a batch that is not in flight: %v", err)
			}
		}
	case receive:
		r.receive(p)
	case addConsumer:
		if len(r.pairs) < 5 {
			r.addConsumer(arg)
		}
	case closeConsumer:
		first := !p.model.closed
		p.real.Close()
		r.model.close(p.model)
		return first
	case reconfigure:
		o := scriptOptions(arg)
		if err := p.real.Configure(o); err != nil {
			r.t.Fatal(err)
		}
		r.model.configure(p.model, o)
	case trim:
		r.store.Trim()
	case closeStore:
		if arg >= 250 {
			r.store.Close()
			r.model.closed = true
		}
	default:
		for range 1 + arg%12 {
			event := r.model.appended + 1
			if got, want := r.store.Append(event), r.model.append(event); got != want {
				r.t.Fatalf("Append says %v, want %v", got, want)
			}
		}
	}
	return false
}

func (r *scripted) addConsumer(arg int) {
	o := scriptOptions(arg)
	r.names++
	name := fmt.Sprint(r.names)
	c, err := r.store.Consumer(name, o)
	if err != nil {
		r.t.Fatal(err)
	}
	r.pairs = append(r.pairs, &pair{real: c, model: r.model.consumer(name, o)})
}

// receive takes the wake-up that waits, if there is one.
func (r *scripted) receive(p *pair) {
	receiveNow(p.real.Due())
	p.model.due = false
}

// scriptOptions makes thresholds of 0 to 7, and bounds of up to 70.
func scriptOptions(arg int) ConsumerOptions {
	return ConsumerOptions{Threshold: arg % 8, MaxLag: 7 + arg/4}
}

func receiveNow(due <-chan struct{}) bool {
	select {
	case <-due:
		return true
	default:
		return false
	}
}

func (r *scripted) fetch(p *pair, limit int) {
	b, got := p.real.Fetch(limit)
	_, want := p.model.fetch(limit)
	if got != (len(want) > 0) {
		r.t.Fatalf("Fetch says %v, and %d events wait or are in flight", got, len(want))
	}
	if got {
		p.batch, p.settled = b, false
	}
}

// settle ends the flight of the batch by a method of the consumer.
func (r *scripted) settle(p *pair, by func(Batch[int64]) error, count *int64) bool {
	if !p.inFlight() {
		return false
	}
	if err := by(p.batch); err != nil {
		r.t.Fatal(err)
	}
	p.settled = true
	r.model.settle(p.model, count)
	return true
}

func (r *scripted) compare() {
	stats := r.store.Stats()
	if stats.Appended != r.model.appended || stats.Rejected != r.model.rejected || stats.Stored != r.model.stored() {
		r.t.Fatalf("the store has %+v, want %d appended, %d rejected, %d stored", stats, r.model.appended, r.model.rejected, r.model.stored())
	}
	if want := int64(stats.Segments+stats.FreeSegments) * int64(r.store.segmentSize) * 8; stats.Bytes != want {
		r.t.Fatalf("%d bytes, want %d", stats.Bytes, want)
	}
	for _, p := range r.pairs {
		if got, want := p.real.Stats(), r.model.stats(p.model); got != want {
			r.t.Fatalf("consumer %s has %+v, want %+v", p.model.name, got, want)
		}
		if got := len(p.real.Due()) > 0; got != p.model.due {
			r.t.Fatalf("consumer %s is due: %v, want %v", p.model.name, got, p.model.due)
		}
		if p.inFlight() {
			r.sameBatch(p)
		}
	}
}

func (r *scripted) sameBatch(p *pair) {
	first, want := p.model.first, p.model.flight
	got := p.batch.AppendTo(nil)
	if !slices.Equal(got, want) || p.batch.First() != first || p.batch.Len() != len(want) || p.batch.Last() != first+int64(len(want))-1 {
		r.t.Fatalf("consumer %s holds %v at %d to %d, want %v at %d", p.model.name, got, p.batch.First(), p.batch.Last(), want, first)
	}
}
