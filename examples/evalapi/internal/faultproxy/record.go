package faultproxy

import (
	"crypto/sha256"
	"slices"
)

// Counts are the object PUTs that one bucket was sent since it was last forgotten. A name is an object's key.
type Counts struct {
	// Puts counts every attempt, when it arrives.
	Puts int `json:"puts"`
	// FailedPuts counts those of them that did not end in a stored object, before the client is told.
	FailedPuts int `json:"failedPuts"`
	// FailedNames counts the names with a failed attempt.
	FailedNames int `json:"failedNames"`
	// AbandonedNames counts those of them that were never stored.
	AbandonedNames int `json:"abandonedNames"`
	// ChangedNames counts the names that came with different contents.
	ChangedNames int `json:"changedNames"`
}

// record is what one bucket was sent.
type record struct {
	puts, failedPuts int
	names            map[string]*name
	stored           []string // names, in the order in which they were first stored
}

// name is what became of the attempts to store one object.
type name struct {
	content                 [sha256.Size]byte // of its first attempt
	changed, failed, stored bool
}

// content notes what came with one attempt.
func (r *record) content(key string, body []byte) {
	sum := sha256.Sum256(body)
	if n, ok := r.names[key]; !ok {
		r.names[key] = &name{content: sum}
	} else if n.content != sum {
		n.changed = true
	}
}

func (r *record) fail(key string) {
	r.failedPuts++
	if n, ok := r.names[key]; ok { // else its content did not come through, or the bucket was forgotten meanwhile
		n.failed = true
	}
}

func (r *record) store(key string) {
	n := r.names[key]
	if n == nil || n.stored { // nil: the bucket was forgotten meanwhile
		return
	}
	n.stored = true
	r.stored = append(r.stored, key)
}

// counts sums up; a bucket that was sent nothing has a nil record.
func (r *record) counts() Counts {
	if r == nil {
		return Counts{}
	}
	c := Counts{Puts: r.puts, FailedPuts: r.failedPuts}
	for _, n := range r.names {
		if n.failed {
			c.FailedNames++
			if !n.stored {
				c.AbandonedNames++
			}
		}
		if n.changed {
			c.ChangedNames++
		}
	}
	return c
}

// Counts are the bucket's; zero for a bucket that was never written to.
func (p *Proxy) Counts(bucket string) Counts {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.records[bucket].counts()
}

// Stored are the names of the bucket's objects, in the order in which each was first stored.
func (p *Proxy) Stored(bucket string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.records[bucket]; r != nil {
		return slices.Clone(r.stored)
	}
	return nil
}

// Forget sets the bucket's counts back to zero.
func (p *Proxy) Forget(bucket string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.records, bucket)
}

// note changes the record of a bucket.
func (p *Proxy) note(bucket string, change func(*record)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.records[bucket]
	if r == nil {
		r = &record{names: map[string]*name{}}
		p.records[bucket] = r
	}
	change(r)
}
