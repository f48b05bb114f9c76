package faultproxy

import (
	"bytes"
	"encoding/xml"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Proxy passes requests to an S3 server (path-style addresses) and applies the faults to object PUTs. Make one with
// [New]. All methods may overlap.
type Proxy struct {
	next http.Handler

	mu       sync.Mutex // guards what follows
	faults   Faults
	replaced chan struct{} // closed when faults is replaced
	counts   map[string]Counts
}

// Counts are the object PUTs that one bucket was sent since it was last forgotten.
type Counts struct {
	// Puts counts every attempt, when it arrives.
	Puts int `json:"puts"`
	// FailedPuts counts those of them that did not end in a stored object, before the client is told.
	FailedPuts int `json:"failedPuts"`
}

// New is a proxy in front of next, with no faults.
func New(next http.Handler) *Proxy {
	return &Proxy{next: next, replaced: make(chan struct{}), counts: map[string]Counts{}}
}

// SetFaults replaces all faults at once, for the PUTs that arrive from now on; it also lets stalled ones go. Faults
// that make no sense are refused, and the former ones stay.
func (p *Proxy) SetFaults(f Faults) error {
	f, err := f.check()
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = f
	close(p.replaced)
	p.replaced = make(chan struct{})
	return nil
}

// Faults are the ones in force.
func (p *Proxy) Faults() Faults {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.faults
}

// Counts are the bucket's; zero for a bucket that was never written to.
func (p *Proxy) Counts(bucket string) Counts {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts[bucket]
}

// Forget sets the bucket's counts back to zero.
func (p *Proxy) Forget(bucket string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.counts, bucket)
}

// ServeHTTP passes the request on, an object PUT after its faults.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if r.Method != http.MethodPut || key == "" {
		p.next.ServeHTTP(w, r)
		return
	}
	faults, replaced := p.arrive(bucket)
	p.put(w, r, faults, replaced, func() { p.fail(bucket) })
}

func (p *Proxy) arrive(bucket string) (Faults, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.counts[bucket]
	c.Puts++
	p.counts[bucket] = c
	return p.faults, p.replaced
}

func (p *Proxy) fail(bucket string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.counts[bucket]
	c.FailedPuts++
	p.counts[bucket] = c
}

// put calls fail, once, if the object is not stored, and before the client can know: who sees its upload fail finds it
// counted.
func (p *Proxy) put(w http.ResponseWriter, r *http.Request, faults Faults, replaced <-chan struct{}, fail func()) {
	// The whole body is read first: the server notices that a client went away only once the body is through, and
	// a client that is still sending would see a broken connection in place of the error.
	body, err := io.ReadAll(r.Body)
	if err != nil {
		fail()
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))

	if faults.DelayMS > 0 {
		delay := time.NewTimer(time.Duration(faults.DelayMS) * time.Millisecond)
		defer delay.Stop()
		select {
		case <-delay.C:
		case <-r.Context().Done():
			fail()
			return
		}
	}
	if faults.Stall {
		select {
		case <-replaced:
		case <-r.Context().Done():
			fail()
			return
		}
	}
	switch {
	case faults.Reset:
		fail()
		reset(w)
	case faults.Status != 0:
		fail()
		refuse(w, r, faults)
	default:
		p.next.ServeHTTP(&failureWriter{ResponseWriter: w, fail: fail}, r)
	}
}

// refuse answers as S3 does: an XML error and its headers.
func refuse(w http.ResponseWriter, r *http.Request, faults Faults) {
	body, err := xml.Marshal(struct {
		XMLName  xml.Name `xml:"Error"`
		Code     string
		Message  string
		Resource string
	}{Code: faults.Code, Message: "made to fail: " + faults.Code, Resource: r.URL.Path})
	if err != nil { // a struct of strings can always be encoded
		panic(err)
	}
	w.Header().Set("Content-Type", "application/xml")
	if faults.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(faults.RetryAfterSeconds))
	}
	w.WriteHeader(faults.Status)
	_, _ = w.Write(append([]byte(xml.Header), body...))
}

// reset closes the connection so that the client sees a reset and not an orderly end.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // no connection to take over (HTTP/2): abort the answer
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// failureWriter calls fail before a status that is none of success goes out.
type failureWriter struct {
	http.ResponseWriter
	fail func()
}

func (w *failureWriter) WriteHeader(status int) {
	if status >= 300 {
		w.fail()
	}
	w.ResponseWriter.WriteHeader(status)
}
