package faultproxy

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"strconv"
	"sync"
)

// Fault is what happens to a request.
type Fault struct {
	Name string
	// Stored says that the server gets the whole request: what the request asks for is done, whatever the client learns of it.
	Stored bool
	act    func(*exchange)
}

// The faults.
var (
	SlowDown           = Fault{"503", false, func(x *exchange) { x.refuse("") }}
	SlowDownRetryAfter = Fault{"503 with Retry-After", false, func(x *exchange) { x.refuse("1") }}
	SlowDownLong       = Fault{"503 with a long Retry-After", false, func(x *exchange) { x.refuse("60") }}
	Stall              = Fault{"stall", false, func(x *exchange) { x.stall() }}
	StallAnswer        = Fault{"stall of the answer", true, func(x *exchange) { x.forward(); x.stall() }}
	Reset              = Fault{"reset", false, func(x *exchange) { x.reset(nil) }}
	ResetAnswer        = Fault{"reset in place of the answer", true, func(x *exchange) { x.forward(); x.reset(nil) }}
	CutRequest         = Fault{"cut request", false, func(x *exchange) { x.forwardHalf(); x.reset(nil) }}
	CutHead            = Fault{"cut answer, in its head", true, func(x *exchange) { a := x.forward(); x.reset(a[:min(len(a), 20)]) }}
	CutAnswer          = Fault{"cut answer, before its end", true, func(x *exchange) { a := x.forward(); x.reset(a[:max(len(a)-1, 0)]) }}
)

// All are all of them.
var All = []Fault{SlowDown, SlowDownRetryAfter, SlowDownLong, Stall, StallAnswer, Reset, ResetAnswer, CutRequest, CutHead, CutAnswer}

// Operation is the kind of an S3 request.
type Operation string

// The operations of an upload.
const (
	Put      Operation = "PutObject"
	Create   Operation = "CreateMultipartUpload"
	Part     Operation = "UploadPart"
	Complete Operation = "CompleteMultipartUpload"
	other    Operation = "another"
)

func operation(r *http.Request) Operation {
	query := r.URL.Query()
	switch {
	case r.Method == http.MethodPut && query.Has("partNumber"):
		return Part
	case r.Method == http.MethodPut:
		return Put
	case r.Method == http.MethodPost && query.Has("uploads"):
		return Create
	case r.Method == http.MethodPost && query.Has("uploadId"):
		return Complete
	default:
		return other
	}
}

// Proxy passes requests to the server at an address, and breaks some. All methods may be called at the same time.
type Proxy struct {
	server string // host and port

	mu    sync.Mutex // guards what follows
	fault Fault
	on    Operation
	left  int
	keys  []string

	broken chan struct{}
}

// New is a proxy in front of the server at the address, host:port, that breaks nothing.
func New(server string) *Proxy { return &Proxy{server: server, broken: make(chan struct{}, 1<<10)} }

// Broken receives for each request that was broken, when that is done: after it was stored, if the fault is one with that.
func (p *Proxy) Broken() <-chan struct{} { return p.broken }

// Break has the fault happen to the next n requests of the operation.
func (p *Proxy) Break(fault Fault, on Operation, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.on, p.left = fault, on, n
}

// Keys are the paths that objects were asked to be stored under, in one piece or in parts, in the order of the requests.
func (p *Proxy) Keys() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.keys...)
}

// next is the fault of a request, if it is one's turn.
func (p *Proxy) next(r *http.Request) (Fault, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	op := operation(r)
	if op == Put || op == Create {
		p.keys = append(p.keys, r.URL.Path)
	}
	if p.left == 0 || op != p.on {
		return Fault{}, false
	}
	p.left--
	return p.fault, true
}

// ServeHTTP passes the request on or breaks it.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fault, ok := p.next(r)
	body, err := io.ReadAll(r.Body) // so that what comes next is a failure of the answer, and not of the sending
	if err != nil {
		return // the client is gone
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	x := &exchange{server: p.server, w: w, r: r, body: body, broken: p.broken}
	if ok {
		fault.act(x)
		return
	}
	client, _, err := x.hijack()
	if err != nil {
		return
	}
	_, _ = client.Write(x.forward()) // a client that is gone learns nothing
	_ = client.Close()
}

// exchange is a request on its way.
type exchange struct {
	server string
	w      http.ResponseWriter
	r      *http.Request
	body   []byte
	broken chan<- struct{}
}

// raw is the request as the server gets it, on a connection of its own.
func (x *exchange) raw() []byte {
	r := x.r.Clone(x.r.Context())
	r.Header.Set("Content-Length", strconv.Itoa(len(x.body)))
	r.Header.Set("Connection", "close") // so that the answer says it, and neither side uses its connection again
	head, err := httputil.DumpRequest(r, false)
	if err != nil {
		panic(err) // of a body that is in memory
	}
	return append(head, x.body...)
}

// forward has the server answer the request, and returns the answer.
func (x *exchange) forward() []byte {
	return x.send(x.raw())
}

// forwardHalf has the server see the request end in its middle.
func (x *exchange) forwardHalf() {
	raw := x.raw()
	x.send(raw[:len(raw)-len(x.body)/2-1])
}

func (x *exchange) send(raw []byte) []byte {
	conn, err := net.Dial("tcp", x.server)
	if err != nil {
		return nil
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.Write(raw); err != nil {
		return nil
	}
	_ = conn.(*net.TCPConn).CloseWrite()
	answer, _ := io.ReadAll(conn)
	return answer
}

func (x *exchange) refuse(retryAfter string) {
	x.broken <- struct{}{}
	if retryAfter != "" {
		x.w.Header().Set("Retry-After", retryAfter)
	}
	x.w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = fmt.Fprint(x.w, "<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>")
}

// stall keeps the client waiting until it goes.
func (x *exchange) stall() {
	x.broken <- struct{}{}
	<-x.r.Context().Done()
}

func (x *exchange) hijack() (net.Conn, io.ReadWriter, error) {
	return http.NewResponseController(x.w).Hijack()
}

// reset ends the connection after some bytes of the answer: as a reset if there are none, which may take sent bytes with it.
func (x *exchange) reset(answer []byte) {
	x.broken <- struct{}{}
	conn, _, err := x.hijack()
	if err != nil {
		return
	}
	if len(answer) == 0 {
		_ = conn.(*net.TCPConn).SetLinger(0)
	}
	_, _ = conn.Write(answer)
	_ = conn.Close()
}
