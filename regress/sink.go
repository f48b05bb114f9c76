package regress

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// sink is the running companion: the Redis and S3 of the service, and the faults between.
type sink struct {
	Redis   string `json:"redis"`   // host:port
	S3      string `json:"s3"`      // base address
	Control string `json:"control"` // base address

	*process `json:"-"`
	client   http.Client
}

// faults is what stands between the service and S3.
type faults struct {
	DelayMS int64  `json:"delayMS"`
	Status  int    `json:"status"` // 0: S3 answers
	Code    string `json:"code"`
}

// bucket is what S3 really holds, and the uploads that it was sent.
type bucket struct {
	Objects    int64            `json:"objects"`
	Events     int64            `json:"events"`     // in all objects: the sum over Users
	Users      map[string]int64 `json:"users"`      // how often the event of each user key is stored
	Late       int64            `json:"late"`       // events after a later one of their caller, in the order of the uploads
	Puts       int64            `json:"puts"`       // uploads, failed ones included
	FailedPuts int64            `json:"failedPuts"` // those of them that were not stored

	FailedNames    int64 `json:"failedNames"`    // objects of which an upload failed
	AbandonedNames int64 `json:"abandonedNames"` // those of them that were never stored
	ChangedNames   int64 `json:"changedNames"`   // objects that came with different contents
}

// startSink starts the companion.
func startSink(ctx context.Context, binary string, env []string) (*sink, error) {
	s := &sink{}
	var err error
	if s.process, err = start(ctx, "companion", binary, env, startBound, s); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *sink) setFaults(ctx context.Context, f faults) error {
	return s.control(ctx, http.MethodPut, "/faults", f, nil)
}

func (s *sink) makeBucket(ctx context.Context, name string) error {
	return s.control(ctx, http.MethodPost, "/buckets/"+name, nil, nil)
}

func (s *sink) tally(ctx context.Context, name string) (b bucket, err error) {
	return b, s.control(ctx, http.MethodGet, "/buckets/"+name+"/tally", nil, &b)
}

// controlBound is far more than reading back any bucket takes.
const controlBound = time.Minute

func (s *sink) control(ctx context.Context, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, controlBound)
	defer cancel()
	var body bytes.Buffer
	if in != nil {
		if err := json.NewEncoder(&body).Encode(in); err != nil {
			return err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, s.Control+path, &body)
	if err != nil {
		return err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return fmt.Errorf("companion: %w", err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("companion: %s %s: %w", method, path, err)
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("companion: %s %s: %s: %s", method, path, response.Status, bytes.TrimSpace(answer))
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("companion: %s %s: %w", method, path, err)
	}
	return nil
}

// close ends the companion and the connections to it.
func (s *sink) close() {
	s.client.CloseIdleConnections()
	s.kill()
}
