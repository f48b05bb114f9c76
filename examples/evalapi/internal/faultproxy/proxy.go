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
	replaced chan struct{}      // closed when faults is replaced
	records  map[string]*record // by bucket
}

// New is a proxy in front of next, with no faults.
func New(next http.Handler) *Proxy {
	return &Proxy{next: next, replaced: make(chan struct{}), records: map[string]*record{}}
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

// ServeHTTP passes the request on, an object PUT after its faults.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if r.Method != http.MethodPut || key == "" {
		p.next.ServeHTTP(w, r)
		return
	}
	if part := r.URL.Query().Get("partNumber"); part != "" {
		key += "?partNumber=" + part // each part of a multipart upload counts like an object
	}
	a := &attempt{proxy: p, bucket: bucket, key: key}
	a.note(func(r *record) {
		r.puts++
		a.faults, a.replaced = p.faults, p.replaced
	})
	a.serve(w, r)
}

// attempt is one PUT of an object.
type attempt struct {
	proxy       *Proxy
	bucket, key string
	faults      Faults
	replaced    <-chan struct{} // closed when the faults are
}

func (a *attempt) note(change func(*record)) { a.proxy.note(a.bucket, change) }

// fail counts the attempt as failed. It is called once, if the object is not stored, and before the client can know: who
// sees its upload fail finds it counted.
func (a *attempt) fail() { a.note(func(r *record) { r.fail(a.key) }) }

func (a *attempt) serve(w http.ResponseWriter, r *http.Request) {
	// The whole body is read first: the server notices that a client went away only once the body is through, and
	// a client that is still sending would see a broken connection in place of the error.
	body, err := io.ReadAll(r.Body)
	if err != nil {
		a.fail()
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	a.note(func(r *record) { r.content(a.key, body) })

	if a.faults.DelayMS > 0 {
		delay := time.NewTimer(time.Duration(a.faults.DelayMS) * time.Millisecond)
		defer delay.Stop()
		select {
		case <-delay.C:
		case <-r.Context().Done():
			a.fail()
			return
		}
	}
	if a.faults.Stall {
		select {
		case <-a.replaced:
		case <-r.Context().Done():
			a.fail()
			return
		}
	}
	switch {
	case a.faults.Reset:
		a.fail()
		reset(w)
	case a.faults.Status != 0:
		a.fail()
		refuse(w, r, a.faults)
	default:
		result := &failureWriter{ResponseWriter: w, attempt: a}
		a.proxy.next.ServeHTTP(result, r)
		if !result.failed { // the answer goes out when this returns, so the next upload comes after it in the order
			a.note(func(r *record) { r.store(a.key) })
		}
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

// failureWriter counts the attempt as failed before a status that is none of success goes out.
type failureWriter struct {
	http.ResponseWriter
	*attempt
	failed bool
}

func (w *failureWriter) WriteHeader(status int) {
	if status >= 300 && !w.failed {
		w.failed = true
		w.fail()
	}
	w.ResponseWriter.WriteHeader(status)
}
