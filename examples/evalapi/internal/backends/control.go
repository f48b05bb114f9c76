package backends

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/offlock/offlock/examples/evalapi/internal/faultproxy"
	"github.com/offlock/offlock/examples/evalapi/internal/tally"
)

// bucketTally is the answer of the control API's tally: what S3 holds, and the uploads that it was sent.
type bucketTally struct {
	tally.Tally
	faultproxy.Counts
}

// controlHandler is the control API:
//
//	PUT  /faults                 replaces the faults; the body is a faultproxy.Faults
//	GET  /faults                 the faults in force
//	POST /buckets/{name}         makes the bucket exist and hold nothing, and sets its counts to zero
//	GET  /buckets/{name}/tally   what the bucket holds, and the uploads that it was sent
//
// Errors are {"error":"…"} with a 4xx status where the caller can mend it.
func controlHandler(store *s3Store) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /faults", store.putFaults)
	mux.HandleFunc("GET /faults", store.getFaults)
	mux.HandleFunc("POST /buckets/{name}", store.postBucket)
	mux.HandleFunc("GET /buckets/{name}/tally", store.getTally)
	return mux
}

const noFaults = "a real S3 takes no faults"

func (s *s3Store) putFaults(w http.ResponseWriter, r *http.Request) {
	if s.proxy == nil {
		answerError(w, http.StatusConflict, noFaults)
		return
	}
	var faults faultproxy.Faults
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&faults); err != nil {
		answerError(w, http.StatusBadRequest, "the body is not a JSON object of faults: "+err.Error())
		return
	}
	if err := s.proxy.SetFaults(faults); err != nil {
		answerError(w, http.StatusBadRequest, err.Error())
		return
	}
	answerJSON(w, http.StatusOK, s.proxy.Faults())
}

func (s *s3Store) getFaults(w http.ResponseWriter, _ *http.Request) {
	if s.proxy == nil {
		answerError(w, http.StatusConflict, noFaults)
		return
	}
	answerJSON(w, http.StatusOK, s.proxy.Faults())
}

func (s *s3Store) postBucket(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	err := s.emptyBucket(r.Context(), name)
	switch {
	case errors.Is(err, errBucketInUse):
		answerError(w, http.StatusConflict, err.Error())
	case err != nil:
		answerError(w, blame(err), fmt.Sprintf("creating bucket %s: %v", name, err))
	default:
		answerJSON(w, http.StatusCreated, map[string]string{"bucket": name})
	}
}

func (s *s3Store) getTally(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	var order []string
	if s.proxy != nil {
		order = s.proxy.Stored(name)
	}
	held, err := tally.Bucket(r.Context(), s.client, name, order)
	if missing := (*types.NoSuchBucket)(nil); errors.As(err, &missing) {
		answerError(w, http.StatusNotFound, "no bucket is named "+name)
		return
	}
	if err != nil {
		answerError(w, blame(err), err.Error())
		return
	}
	answered := bucketTally{Tally: held}
	if s.proxy != nil {
		answered.Counts = s.proxy.Counts(name)
	}
	answerJSON(w, http.StatusOK, answered)
}

// blame is S3's own status where S3 found fault with the request, as for a name that no bucket may have, and else 502.
func blame(err error) int {
	var refused *smithyhttp.ResponseError
	if errors.As(err, &refused) && refused.HTTPStatusCode()/100 == 4 {
		return refused.HTTPStatusCode()
	}
	return http.StatusBadGateway
}

func answerJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that left needs no answer
}

func answerError(w http.ResponseWriter, status int, reason string) {
	answerJSON(w, status, map[string]string{"error": reason})
}
