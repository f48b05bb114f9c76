//go:build ignore

package webhookexporter

import (
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/internal/signer"
)

func oneEvent(key string) []exporter.ExportableEvent {
	return []exporter.ExportableEvent{exporter.FeatureEvent{Kind: "feature", Key: key, Value: true}}
}

// The body has a length, and can be sent again to where the webhook has moved.
func TestWebhook_BodyCanBeSentAgain(t *testing.T) {
	type call struct {
		path   string
		length int64
		body   string
	}
	var calls []call
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		calls = append(calls, call{r.URL.Path, r.ContentLength, string(body)})
		if r.URL.Path == "/old" {
			http.Redirect(w, r, "/new", http.StatusTemporaryRedirect)
		}
	}))
	defer server.Close()

	f := &Exporter{EndpointURL: server.URL + "/old"}
	require.NoError(t, f.Export(context.Background(), nil, oneEvent("random-key")))
	require.Len(t, calls, 2)
	assert.Equal(t, "/new", calls[1].path)
	assert.Contains(t, calls[1].body, "random-key")
	for _, c := range calls {
		assert.EqualValues(t, len(c.body), c.length)
	}
}

// Where a webhook redirects to with 301 or 302, net/http asks with a GET: what that answers says nothing of the events.
// With 303 it is the answer to the events.
func TestWebhook_RedirectWithoutTheEvents(t *testing.T) {
	for _, statuses := range [][]int{
		{http.StatusMovedPermanently},
		{http.StatusFound},
		{http.StatusTemporaryRedirect, http.StatusFound},
		{http.StatusFound, http.StatusTemporaryRedirect},
		{http.StatusSeeOther},
		{http.StatusSeeOther, http.StatusFound},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n := len(r.URL.Path) - len("/"); n < len(statuses) {
				http.Redirect(w, r, r.URL.Path+"x", statuses[n])
			}
		}))
		err := (&Exporter{EndpointURL: server.URL}).Export(context.Background(), nil, oneEvent("random-key"))
		server.Close()
		if statuses[0] == http.StatusSeeOther {
			assert.NoError(t, err, "%d", statuses)
		} else {
			assert.ErrorContains(t, err, "has moved to "+server.URL+"/x", "%d", statuses)
		}
	}
}

// An answer other than of success means that the events were not taken.
func TestWebhook_AnswerThatIsNoSuccess(t *testing.T) {
	for _, status := range []int{http.StatusNotModified, http.StatusMultipleChoices, http.StatusBadRequest} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			if status != http.StatusNotModified { // which has no body
				_, _ = io.WriteString(w, "this is why")
			}
		}))
		err := (&Exporter{EndpointURL: server.URL}).Export(context.Background(), nil, oneEvent("random-key"))
		server.Close()
		assert.Error(t, err, "%d", status)
		if status != http.StatusNotModified {
			assert.ErrorContains(t, err, "this is why", "%d", status)
		}
	}
}

// Answers are read, so that one connection is enough.
func TestWebhook_OneConnection(t *testing.T) {
	var connections atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/fails" {
			w.WriteHeader(http.StatusInternalServerError)
		}
		_, _ = io.WriteString(w, strings.Repeat("answer ", 10_000))
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()

	takes, fails := &Exporter{EndpointURL: server.URL}, &Exporter{EndpointURL: server.URL + "/fails"}
	for range 5 {
		assert.NoError(t, takes.Export(context.Background(), nil, oneEvent("random-key")))
		assert.Error(t, fails.Export(context.Background(), nil, oneEvent("random-key")))
	}
	assert.EqualValues(t, 1, connections.Load())
}

// The maps of the configuration stay as they are.
func TestWebhook_ConfigurationIsUntouched(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	headers, meta := map[string][]string{"Authorization": {"Bearer token"}}, map[string]string{"region": "eu"}
	wantHeaders, wantMeta := maps.Clone(headers), maps.Clone(meta)

	f := &Exporter{EndpointURL: server.URL, Secret: "secret", Headers: headers, Meta: meta}
	assert.Error(t, f.Export(context.Background(), nil, oneEvent("random-key")))
	assert.Equal(t, wantHeaders, headers)
	assert.Equal(t, wantMeta, meta)
}

// heldCalls answers a call only after the header and body of the next one are known.
type heldCalls struct{ started, released chan struct{} }

func (h *heldCalls) Do(request *http.Request) (*http.Response, error) {
	h.started <- struct{}{}
	<-h.released
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	status := http.StatusOK
	if request.Header.Get("X-Hub-Signature-256") != signer.Sign(body, []byte("secret")) {
		status = http.StatusForbidden
	}
	return &http.Response{StatusCode: status, Body: http.NoBody}, nil
}

// Two data exporters may have the same Exporter: each call has the signature of its own body.
func TestWebhook_SharedExporter(t *testing.T) {
	calls := &heldCalls{started: make(chan struct{}), released: make(chan struct{})}
	f := &Exporter{EndpointURL: "http://webhook.example", Secret: "secret", httpClient: calls}
	results := make(chan error)
	for _, key := range []string{"first", "second"} {
		go func() { results <- f.Export(context.Background(), nil, oneEvent(key)) }()
		<-calls.started
	}
	close(calls.released)
	assert.NoError(t, <-results)
	assert.NoError(t, <-results)
}

// busyWebhook answers the first call as it is told, and notes when the second one comes.
type busyWebhook struct {
	status     int
	retryAfter string

	first, second time.Time
}

func (b *busyWebhook) Do(*http.Request) (*http.Response, error) {
	if b.first.IsZero() {
		b.first = time.Now()
		return &http.Response{StatusCode: b.status, Header: http.Header{"Retry-After": {b.retryAfter}},
			Body: http.NoBody}, nil
	}
	b.second = time.Now()
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

// A webhook that asks for time gets it.
func TestWebhook_RetryAfter(t *testing.T) {
	const backoff = time.Second // less than that is a wait that nobody asked for
	tests := []struct {
		name       string
		status     int
		retryAfter string
		want       time.Duration // at least
		below      time.Duration
	}{
		{name: "too many requests", status: http.StatusTooManyRequests, retryAfter: "120",
			want: 2 * time.Minute, below: 2*time.Minute + backoff},
		// the clock of the test begins with the year 2000
		{name: "unavailable until a date", status: http.StatusServiceUnavailable,
			retryAfter: "Sat, 01 Jan 2000 00:03:00 GMT", want: 3 * time.Minute, below: 3*time.Minute + backoff},
		{name: "a date that is over", status: http.StatusServiceUnavailable,
			retryAfter: "Fri, 31 Dec 1999 00:00:00 GMT", below: backoff},
		{name: "no time at all", status: http.StatusServiceUnavailable, retryAfter: "soon", below: backoff},
		{name: "another failure", status: http.StatusInternalServerError, retryAfter: "120", below: backoff},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				webhook := &busyWebhook{status: tt.status, retryAfter: tt.retryAfter}
				manager := exporter.NewManager[exporter.FeatureEvent]([]exporter.Config{{
					FlushInterval: time.Hour, MaxEventInMemory: 1,
					Exporter: &Exporter{EndpointURL: "http://webhook.example", httpClient: webhook},
				}}, time.Hour, nil)
				manager.AddEvent(exporter.FeatureEvent{Key: "random-key", Value: true})
				time.Sleep(10 * time.Minute)
				manager.Stop()
				require.False(t, webhook.second.IsZero(), "there is no second call")
				wait := webhook.second.Sub(webhook.first)
				assert.GreaterOrEqual(t, wait, tt.want)
				assert.Less(t, wait, tt.below)
			})
		})
	}
}
