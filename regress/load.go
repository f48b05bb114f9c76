package regress

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// answer is what became of one arrival.
type answer struct {
	latency time.Duration // from the scheduled arrival to the last byte of the answer
	status  int           // 0: no answer
	err     error         // errUnanswered, or what the transport reported
}

// accepted tells whether the service took the event.
func (a answer) accepted() bool { return a.status >= 200 && a.status < 300 }

// errUnanswered is the error of a request that had no answer when the bound after the schedule had passed.
var errUnanswered = errors.New("no answer within the bound")

// drive sends the arrivals to the service at base, each at its time whatever became of those before it, and then awaits
// the outstanding ones for up to bound. Answer i belongs to arrival i. The only error is that of ctx.
func drive(ctx context.Context, base string, arrivals []arrival, bound time.Duration) ([]answer, error) {
	transport := &http.Transport{
		// Every request may be outstanding at once, and a connection is kept for the next one: dialling is not what is measured.
		MaxIdleConnsPerHost: len(arrivals) + 1,
		DisableCompression:  true,
	}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}

	requests, abandon := context.WithCancelCause(ctx)
	defer abandon(nil)
	answers := make([]answer, len(arrivals)) // each goroutine below writes its own element
	var outstanding sync.WaitGroup
	timer := time.NewTimer(0)
	defer timer.Stop()

	start := time.Now()
	for i, a := range arrivals {
		if wait := time.Until(start.Add(a.at)); wait > 0 {
			timer.Reset(wait)
			select {
			case <-timer.C:
			case <-ctx.Done():
			}
		}
		if ctx.Err() != nil {
			break
		}
		outstanding.Go(func() {
			status, err := send(requests, client, base, a)
			answers[i] = answer{latency: time.Since(start.Add(a.at)), status: status, err: err}
		})
	}

	late := time.AfterFunc(bound, func() { abandon(errUnanswered) })
	outstanding.Wait()
	late.Stop()
	return answers, ctx.Err()
}

// send makes one request and reads its whole answer.
func send(ctx context.Context, client *http.Client, base string, a arrival) (status int, err error) {
	request, err := newRequest(ctx, base, a)
	if err != nil {
		return 0, err
	}
	response, err := client.Do(request)
	if err == nil {
		_, err = io.Copy(io.Discard, response.Body)
		err = errors.Join(err, response.Body.Close())
	}
	if cause := context.Cause(ctx); cause != nil && err != nil {
		return 0, cause
	}
	if err != nil {
		return 0, err
	}
	return response.StatusCode, nil
}

// flagKey is a flag that the companion puts into Redis.
const flagKey = "flag-1"

func newRequest(ctx context.Context, base string, a arrival) (*http.Request, error) {
	switch a.endpoint {
	case evaluation:
		query := url.Values{"key": {flagKey}, "user": a.users()}
		return http.NewRequestWithContext(ctx, http.MethodGet, base+a.endpoint.path()+"?"+query.Encode(), nil)
	case collect, check:
		type event struct {
			UserKey   string `json:"userKey"`
			Key       string `json:"key"`
			Variation string `json:"variation"`
			Value     any    `json:"value"`
		}
		var events []event
		for _, user := range a.users() {
			events = append(events, event{UserKey: user, Key: flagKey, Variation: "on", Value: true})
		}
		body, err := json.Marshal(map[string][]event{"events": events})
		if err != nil {
			return nil, err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, base+a.endpoint.path(), bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		request.Header.Set("Content-Type", "application/json")
		return request, nil
	}
	return nil, fmt.Errorf("no endpoint %d", a.endpoint)
}
