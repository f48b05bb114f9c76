package s3

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/exporter"
	"github.com/offlock/offlock/exporter/encode"
)

// ledger knows what batches are called: it names those that come without a name, recognizes one of them that failed before,
// and keeps the marks of those whose name was taken. All methods may be called at the same time.
type ledger struct {
	instance string

	mu     sync.Mutex // guards what follows
	next   int64      // the offset of the next event that comes without one
	failed recent[digest, exporter.Batch]
	marks  recent[batchID, string]
}

type digest [sha256.Size]byte

// batchID is what of a batch is the same at all its attempts.
type batchID struct {
	instance    string
	first, last int64
}

func idOf(b exporter.Batch) batchID { return batchID{b.Instance, b.First, b.Last} }

func newLedger(instance string) *ledger {
	if instance == "" {
		instance = random()
	}
	return &ledger{instance: instance}
}

// random is long enough that no two processes draw the same.
func random() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// identify names a batch that comes without a name: as before, if it is one that failed.
func (l *ledger) identify(events []ffexporter.ExportableEvent) exporter.Batch {
	l.mu.Lock()
	some := l.failed.len() > 0
	l.mu.Unlock()
	if some { // only then is a batch worth looking through
		sum := sumOf(events)
		l.mu.Lock()
		b, ok := l.failed.take(sum)
		l.mu.Unlock()
		if ok {
			b.Attempt++
			return b
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	first := l.next
	l.next += int64(len(events))
	return exporter.Batch{Instance: l.instance, First: first, Last: l.next - 1, Attempt: 1, Began: time.Now()}
}

// remember keeps the name of a batch that failed.
func (l *ledger) remember(events []ffexporter.ExportableEvent, b exporter.Batch) {
	sum := sumOf(events)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed.put(sum, b)
}

// mark is what the batch's name was given when it was found taken, or nothing.
func (l *ledger) mark(b exporter.Batch) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.marks.get(idOf(b))
}

// remark gives the batch a new mark.
func (l *ledger) remark(b exporter.Batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.marks.put(idOf(b), random())
}

// settle forgets the batch, which is stored.
func (l *ledger) settle(b exporter.Batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.marks.take(idOf(b))
}

// sumOf is equal for equal batches alone: of events that have no JSON, what fmt says of them counts.
func sumOf(events []ffexporter.ExportableEvent) (sum digest) {
	h := sha256.New()
	refused, _ := encode.JSON{}.Encode(h, events) // a hash takes everything
	for _, r := range refused {
		_, _ = fmt.Fprintf(h, "%d %v\n", r.Index, r.Event)
	}
	h.Sum(sum[:0])
	return sum
}

// recent is a map of the last [MaxRemembered] keys that were put in.
type recent[K comparable, V any] struct {
	values map[K]V
	order  []K // oldest first
}

func (r *recent[K, V]) len() int { return len(r.values) }

func (r *recent[K, V]) get(key K) V { return r.values[key] }

func (r *recent[K, V]) put(key K, value V) {
	r.take(key)
	if len(r.order) == MaxRemembered {
		r.take(r.order[0])
	}
	if r.values == nil {
		r.values = make(map[K]V)
	}
	r.values[key], r.order = value, append(r.order, key)
}

func (r *recent[K, V]) take(key K) (value V, ok bool) {
	if value, ok = r.values[key]; !ok {
		return value, false
	}
	delete(r.values, key)
	for i, k := range r.order {
		if k == key {
			r.order = append(r.order[:i], r.order[i+1:]...)
			break
		}
	}
	return value, true
}
