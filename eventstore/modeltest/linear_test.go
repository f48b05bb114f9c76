package modeltest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/offlock/offlock/eventstore"
	"pgregory.net/rapid"
)

type kind string

const (
	opAppend  kind = "append"
	opFetch   kind = "fetch"
	opCommit  kind = "commit"
	opDiscard kind = "discard"
	opStats   kind = "stats"
)

// call is what a client asks of the store: its arguments are those that the kind needs.
type call struct {
	kind                   kind
	event, consumer, limit int
	batch                  span
}

// answer is what it got.
type answer struct {
	ok     bool
	batch  span
	events []int // of a fetch, if the client read them
	stats  eventstore.Stats
}

// linear is the specification for porcupine, of a store with so many consumers.
func linear(segment int, consumers []eventstore.ConsumerOptions) porcupine.Model {
	return porcupine.Model{
		Init: func() any {
			s := state{segment: int64(segment)}
			for _, o := range consumers {
				s = s.add(o)
			}
			return s
		},
		Step: func(before, input, output any) (bool, any) {
			return step(before.(state), input.(call), output.(answer))
		},
		Equal: func(a, b any) bool {
			x, y := a.(state), b.(state)
			return slices.Equal(x.log, y.log) && slices.Equal(x.cursors, y.cursors)
		},
	}
}

func step(s state, c call, got answer) (bool, state) {
	switch c.kind {
	case opAppend:
		next, ok := s.append(c.event)
		return ok == got.ok, next
	case opFetch:
		next, batch := s.fetch(c.consumer, c.limit)
		same := got.ok == (batch != span{}) && got.batch == batch
		return same && (got.events == nil || slices.Equal(got.events, next.events(batch))), next
	case opCommit, opDiscard:
		next, ok := s.settle(c.consumer, c.batch, c.kind == opDiscard)
		return ok == got.ok, next
	default:
		want := s.stats()
		return want.Appended == got.stats.Appended && want.Stored == got.stats.Stored && slices.Equal(want.Consumers, got.stats.Consumers), s
	}
}

// client runs its calls one after the other and notes when each began and ended.
type client struct {
	id        int
	store     *eventstore.Store[int]
	consumers []*eventstore.Consumer[int]
	reads     bool // no one else commits the batches that it fetches
	clock     *atomic.Int64
	history   []porcupine.Operation
}

func (c *client) run(calls []call) {
	batches := make([]eventstore.Batch[int], len(c.consumers)) // the last of each consumer
	for _, in := range calls {
		consumer := c.consumers[in.consumer]
		var out answer
		if in.kind == opCommit || in.kind == opDiscard {
			in.batch = spanOf(batches[in.consumer])
		}
		began := c.clock.Add(1)
		switch in.kind {
		case opAppend:
			out.ok = c.store.Append(in.event)
		case opFetch:
			var b eventstore.Batch[int]
			b, out.ok = consumer.Fetch(in.limit)
			batches[in.consumer], out.batch = b, spanOf(b)
		case opCommit:
			out.ok = consumer.Commit(batches[in.consumer]) == nil
		case opDiscard:
			out.ok = consumer.Discard(batches[in.consumer]) == nil
		case opStats:
			out.stats = c.store.Stats()
		}
		ended := c.clock.Add(1)
		if in.kind == opFetch && c.reads {
			out.events = batches[in.consumer].AppendTo(nil)
		}
		c.history = append(c.history, porcupine.Operation{ClientId: c.id, Input: in, Call: began, Output: out, Return: ended})
	}
}

// drawCalls draws the program of one client. Where consumers are not shared, each belongs to the client of the same number.
func drawCalls(t *rapid.T, id, consumers int, shared bool) []call {
	kinds := []kind{opAppend, opAppend, opAppend, opStats}
	if shared || id < consumers {
		kinds = append(kinds, opFetch, opFetch, opCommit, opCommit, opDiscard)
	}
	event := 0
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) call {
		c := call{kind: rapid.SampledFrom(kinds).Draw(t, "kind"), limit: rapid.IntRange(0, 6).Draw(t, "limit")}
		if shared {
			c.consumer = rapid.IntRange(0, consumers-1).Draw(t, "consumer")
		} else if id < consumers {
			c.consumer = id
		}
		event++
		c.event = id*1000 + event
		return c
	}), 10, 40).Draw(t, fmt.Sprint("client ", id))
}

// TestStoreLinearizable: whatever several goroutines do at once, each call takes effect at one moment between its begin and its
// end. Segments are small, so that most calls take the longer ways.
func TestStoreLinearizable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		segment := rapid.IntRange(1, 3).Draw(t, "segment size")
		shared := rapid.Bool().Draw(t, "shared consumers")
		var options []eventstore.ConsumerOptions
		for range rapid.IntRange(1, 2).Draw(t, "consumers") {
			options = append(options, drawOptions(t))
		}
		var programs [][]call
		for id := range rapid.IntRange(2, 4).Draw(t, "clients") {
			programs = append(programs, drawCalls(t, id, len(options), shared))
		}
		for range 4 { // each program meets several schedules
			history := runTogether(t, segment, options, programs, !shared)
			switch porcupine.CheckOperationsTimeout(linear(segment, options), history, time.Minute) {
			case porcupine.Illegal:
				t.Fatalf("no order of these calls explains the answers:\n%s", describe(history))
			case porcupine.Unknown:
				t.Fatalf("undecided after a minute:\n%s", describe(history))
			}
		}
	})
}

func runTogether(t *rapid.T, segment int, options []eventstore.ConsumerOptions, programs [][]call, reads bool) []porcupine.Operation {
	store, err := eventstore.New[int](eventstore.Options{SegmentSize: segment})
	if err != nil {
		t.Fatal(err)
	}
	var consumers []*eventstore.Consumer[int]
	for i, o := range options {
		c, err := store.Consumer(name(i), o)
		if err != nil {
			t.Fatal(err)
		}
		consumers = append(consumers, c)
	}
	var clock atomic.Int64
	var ready, done sync.WaitGroup
	ready.Add(len(programs))
	clients := make([]*client, len(programs))
	for id, calls := range programs {
		c := &client{id: id, store: store, consumers: consumers, reads: reads, clock: &clock}
		clients[id] = c
		done.Go(func() {
			ready.Done()
			ready.Wait()
			c.run(calls)
		})
	}
	done.Wait()
	var history []porcupine.Operation
	for _, c := range clients {
		history = append(history, c.history...)
	}
	return history
}

func describe(history []porcupine.Operation) string {
	slices.SortFunc(history, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	var text strings.Builder
	for _, o := range history {
		fmt.Fprintf(&text, "%4d to %4d, client %d: %+v: %+v\n", o.Call, o.Return, o.ClientId, o.Input, o.Output)
	}
	return text.String()
}

// TestLinearModelSeesFaults: the specification does not explain everything.
func TestLinearModelSeesFaults(t *testing.T) {
	options := []eventstore.ConsumerOptions{{MaxLag: 10}}
	at := int64(0)
	one := func(in call, out answer) porcupine.Operation {
		at += 2
		return porcupine.Operation{Input: in, Call: at, Output: out, Return: at + 1}
	}
	first := one(call{kind: opAppend, event: 7}, answer{ok: true})
	for what, tt := range map[string]struct {
		last porcupine.Operation
		want bool
	}{
		"the event":     {one(call{kind: opFetch}, answer{ok: true, batch: span{0, 1}, events: []int{7}}), true},
		"another event": {one(call{kind: opFetch}, answer{ok: true, batch: span{0, 1}, events: []int{8}}), false},
		"none":          {one(call{kind: opFetch}, answer{}), false},
		"two":           {one(call{kind: opFetch}, answer{ok: true, batch: span{0, 2}, events: []int{7, 7}}), false},
	} {
		if got := porcupine.CheckOperations(linear(2, options), []porcupine.Operation{first, tt.last}); got != tt.want {
			t.Errorf("a fetch of %s: linearizable is %v, want %v", what, got, tt.want)
		}
	}
}
