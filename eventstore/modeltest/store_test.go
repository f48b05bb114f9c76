package modeltest

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/offlock/offlock/eventstore"
	"pgregory.net/rapid"
)

// machine is a store under test, with what is expected of it.
type machine struct {
	store     *eventstore.Store[int]
	consumers []*eventstore.Consumer[int]
	// batches holds for each consumer the last batch that it gave out.
	batches []eventstore.Batch[int]
	want    state
	event   int
}

func TestStoreModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{1, 2, 3, 7, 64}).Draw(t, "segment size")
		store, err := eventstore.New[int](eventstore.Options{SegmentSize: size})
		if err != nil {
			t.Fatal(err)
		}
		m := &machine{store: store, want: state{segment: int64(size)}}
		m.AddConsumer(t)
		actions := rapid.StateMachineActions(m)
		for _, often := range []string{"Append", "Fetch", "Commit"} {
			actions[often+" too"], actions[often+" again"] = actions[often], actions[often]
		}
		t.Repeat(actions)
	})
}

func drawOptions(t *rapid.T) eventstore.ConsumerOptions {
	threshold := rapid.IntRange(0, 12).Draw(t, "threshold")
	return eventstore.ConsumerOptions{
		Threshold: threshold,
		MaxLag:    rapid.IntRange(max(threshold, 1), 40).Draw(t, "max lag"),
	}
}

// pick draws a consumer, mostly one that has still something to do.
func (m *machine) pick(t *rapid.T) int {
	var busy []int
	for i, c := range m.want.cursors {
		if !c.closed || c.flight != (span{}) {
			busy = append(busy, i)
		}
	}
	if len(busy) == 0 || rarely(t) {
		return rapid.IntRange(0, len(m.consumers)-1).Draw(t, "any consumer")
	}
	return rapid.SampledFrom(busy).Draw(t, "consumer")
}

// rarely is true once in ten.
func rarely(t *rapid.T) bool { return rapid.IntRange(0, 9).Draw(t, "rarely") == 9 }

func (m *machine) Append(t *rapid.T) {
	for range rapid.IntRange(1, 20).Draw(t, "events") {
		m.event++
		var want bool
		m.want, want = m.want.append(m.event)
		if got := m.store.Append(m.event); got != want {
			t.Fatalf("Append says %v, want %v", got, want)
		}
	}
}

func (m *machine) Fetch(t *rapid.T) {
	i, limit := m.pick(t), rapid.IntRange(0, 25).Draw(t, "limit")
	if rapid.Bool().Draw(t, "woken") {
		m.receive(i)
	}
	var want span
	m.want, want = m.want.fetch(i, limit)
	b, ok := m.consumers[i].Fetch(limit)
	if ok != (want != span{}) || ok && spanOf(b) != want {
		t.Fatalf("Fetch gives %v, %v, want %v", spanOf(b), ok, want)
	}
	if ok {
		m.batches[i] = b
	}
}

func spanOf(b eventstore.Batch[int]) span { return span{b.First(), b.Last() + 1} }

func (m *machine) Commit(t *rapid.T)  { m.settle(t, false) }
func (m *machine) Discard(t *rapid.T) { m.settle(t, true) }

// settle settles the last batch of a consumer, which may be settled already.
func (m *machine) settle(t *rapid.T, discard bool) {
	i := m.pick(t)
	c := m.consumers[i]
	by := c.Commit
	if discard {
		by = c.Discard
	}
	var want bool
	m.want, want = m.want.settle(i, spanOf(m.batches[i]), discard)
	if err := by(m.batches[i]); want != (err == nil) || !want && !errors.Is(err, eventstore.ErrNotInFlight) {
		t.Fatalf("%v, and the batch %v is in flight: %v", err, spanOf(m.batches[i]), want)
	}
}

func (m *machine) Receive(t *rapid.T) { m.receive(m.pick(t)) }

// receive takes the wake-up that waits, if there is one; Check has seen whether there should be.
func (m *machine) receive(i int) {
	select {
	case <-m.consumers[i].Due():
	default:
	}
	m.want = m.want.change(i, func(c *cursor) { c.due = false })
}

func (m *machine) AddConsumer(t *rapid.T) {
	if len(m.consumers) == 6 {
		t.Skip("enough of them")
	}
	o := drawOptions(t)
	c, err := m.store.Consumer(name(len(m.consumers)), o)
	if err != nil {
		t.Fatal(err)
	}
	m.consumers, m.batches = append(m.consumers, c), append(m.batches, eventstore.Batch[int]{})
	m.want = m.want.add(o)
}

func (m *machine) Configure(t *rapid.T) {
	i, o := m.pick(t), drawOptions(t)
	m.want = m.want.configure(i, o)
	if err := m.consumers[i].Configure(o); err != nil {
		t.Fatal(err)
	}
}

func (m *machine) CloseConsumer(t *rapid.T) {
	i := m.pick(t)
	m.want = m.want.leave(i)
	m.consumers[i].Close()
}

func (m *machine) CloseStore(t *rapid.T) {
	if !rarely(t) {
		t.Skip("there would be nothing left to do")
	}
	m.want.closed = true
	m.store.Close()
}

func (m *machine) Trim(*rapid.T) { m.store.Trim() }

// Check compares all that can be seen: the figures, and the events of each batch in flight.
func (m *machine) Check(t *rapid.T) {
	memory := cmpopts.IgnoreFields(eventstore.Stats{}, "Segments", "FreeSegments", "Bytes")
	if diff := cmp.Diff(m.want.stats(), m.store.Stats(), memory, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("the store's figures (-want +got):\n%s", diff)
	}
	for i, c := range m.consumers {
		if diff := cmp.Diff(m.want.consumerStats(i), c.Stats()); diff != "" {
			t.Fatalf("the figures of consumer %d (-want +got):\n%s", i, diff)
		}
		if got, want := len(c.Due()) > 0, m.want.cursors[i].due; got != want {
			t.Fatalf("consumer %d is due: %v, want %v", i, got, want)
		}
		if flight := m.want.cursors[i].flight; flight != (span{}) {
			got, want := slices.Collect(m.batches[i].All()), m.want.events(flight)
			if !slices.Equal(got, want) || spanOf(m.batches[i]) != flight {
				t.Fatalf("consumer %d holds %v of %v, want %v of %v", i, got, spanOf(m.batches[i]), want, flight)
			}
		}
	}
}
