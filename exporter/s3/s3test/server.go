package s3test

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// Object is what was stored under a name.
type Object struct {
	Body   []byte
	Header http.Header // of the request that stored it or, if it has parts, began it
	Parts  int         // 0 for an object that was sent in one piece
	Writes int         // how often the name was written
}

// Server is an S3 endpoint. The zero value is ready for use. All methods may be called at the same time.
type Server struct {
	// Discard drops what it has checked, for measurements: objects have no body then.
	Discard bool

	mu       sync.Mutex // guards what follows
	objects  map[string]*Object
	uploads  map[string]*multipart
	begun    int
	requests []string
	problems []string
}

// Objects are the objects that are stored, by "bucket/key". Their bodies must not be changed.
func (s *Server) Objects() map[string]Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	objects := make(map[string]Object, len(s.objects))
	for key, o := range s.objects {
		objects[key] = *o
	}
	return objects
}

// Uploads is how many multipart uploads are neither completed nor aborted.
func (s *Server) Uploads() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.uploads)
}

// Requests are the requests that arrived whole, in order, as "PutObject", "UploadPart" and so on.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

// Problems is what was wrong with requests that were refused: framing, checksums, parts.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.problems...)
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := strings.TrimPrefix(r.URL.Path, "/")
	query := r.URL.Query()
	payload, sums, err := readBody(r)
	if err != nil {
		s.refuse(w, http.StatusBadRequest, "IncompleteBody", err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch id := query.Get("uploadId"); {
	case r.Method == http.MethodPut && id == "":
		s.put(w, r, key, payload, sums)
	case r.Method == http.MethodPut:
		s.uploadPart(w, query.Get("partNumber"), id, payload, sums)
	case r.Method == http.MethodPost && query.Has("uploads"):
		s.create(w, r, key)
	case r.Method == http.MethodPost && id != "":
		s.complete(w, r, id, payload)
	case r.Method == http.MethodDelete && id != "":
		s.abort(w, id)
	default:
		s.refuseLocked(w, http.StatusNotImplemented, "NotImplemented", fmt.Errorf("%s %s", r.Method, r.URL))
	}
}

func (s *Server) put(w http.ResponseWriter, r *http.Request, key string, payload []byte, sums map[string]string) {
	s.requests = append(s.requests, "PutObject")
	if err := check(payload, sums); err != nil {
		s.refuseLocked(w, http.StatusBadRequest, "BadDigest", err)
		return
	}
	s.storeLocked(w, r, key, &Object{Body: payload, Header: r.Header})
}

// storeLocked stores the object if the request's condition allows it, and says whether it did.
func (s *Server) storeLocked(w http.ResponseWriter, r *http.Request, key string, o *Object) bool {
	former := s.objects[key]
	if former != nil {
		if r.Header.Get("If-None-Match") == "*" {
			s.refuseLocked(w, http.StatusPreconditionFailed, "PreconditionFailed", fmt.Errorf("%s exists", key))
			return false
		}
		o.Writes = former.Writes
	}
	o.Writes++
	if s.Discard {
		o.Body = nil
	}
	if s.objects == nil {
		s.objects = map[string]*Object{}
	}
	s.objects[key] = o
	w.Header().Set("ETag", fmt.Sprintf(`"%d"`, o.Writes))
	return true
}

func (s *Server) refuse(w http.ResponseWriter, status int, code string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuseLocked(w, status, code, err)
}

// refuseLocked answers with an error, and notes it if it is the client's fault.
func (s *Server) refuseLocked(w http.ResponseWriter, status int, code string, err error) {
	if status == http.StatusBadRequest || status == http.StatusNotImplemented {
		s.problems = append(s.problems, fmt.Sprintf("%s: %v", code, err))
	}
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	answer(w, struct {
		XMLName       xml.Name `xml:"Error"`
		Code, Message string
	}{Code: code, Message: err.Error()})
}

func answer(w http.ResponseWriter, v any) {
	body, err := xml.Marshal(v)
	if err != nil {
		panic(err) // the types above have an encoding
	}
	_, _ = w.Write(body) // a client that is gone learns nothing
}
