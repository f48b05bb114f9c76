//go:build ignore

package webhookexporter

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// receiver is a webhook that answers to a body above a limit that it is too large.
type receiver struct {
	limit int

	calls int
	keys  []string // of the events that it took
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.calls++
	body, err := io.ReadAll(request.Body)
	if err != nil || r.limit > 0 && len(body) > r.limit {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	var payload struct{ Events []exporter.FeatureEvent }
	if err := json.Unmarshal(body, &payload); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	for _, event := range payload.Events {
		r.keys = append(r.keys, event.Key)
	}
}

func deliver(t *testing.T, r *receiver, events ...exporter.ExportableEvent) (log string) {
	t.Helper()
	server := httptest.NewServer(r)
	defer server.Close()
	var buffer bytes.Buffer
	f := &Exporter{EndpointURL: server.URL}
	require.NoError(t, f.Export(context.Background(),
		&fflog.FFLogger{LeveledLogger: slog.New(slog.NewTextHandler(&buffer, nil))}, events))
	return buffer.String()
}

// An event that cannot be encoded is set aside, and the rest is sent.
func TestWebhook_PoisonIsSetAside(t *testing.T) {
	r := &receiver{}
	log := deliver(t, r,
		exporter.FeatureEvent{Key: "first", Value: true},
		exporter.FeatureEvent{Key: "infinite", Value: math.Inf(1)},
		exporter.FeatureEvent{Key: "function", Value: func() {}},
		exporter.FeatureEvent{Key: "last", Value: true})

	assert.Equal(t, []string{"first", "last"}, r.keys)
	assert.Equal(t, 1, strings.Count(log, "\n"), log)
	assert.Contains(t, log, "events=2")
	assert.Contains(t, log, "unsupported value: +Inf")
}

// With nothing but such events, there is nothing to send.
func TestWebhook_NothingButPoison(t *testing.T) {
	r := &receiver{}
	log := deliver(t, r, exporter.FeatureEvent{Key: "function", Value: func() {}})
	assert.Zero(t, r.calls)
	assert.Contains(t, log, "unsupported type: func()")
}

// A call that is too large for the webhook is made in two halves, down to single events.
func TestWebhook_TooLarge(t *testing.T) {
	r := &receiver{limit: 1000}
	var events []exporter.ExportableEvent
	var want []string
	for i := range 21 {
		key := fmt.Sprintf("event %d", i)
		if i%10 == 5 {
			events = append(events, exporter.FeatureEvent{Key: key, Value: strings.Repeat("x", r.limit)})
			continue
		}
		events, want = append(events, exporter.FeatureEvent{Key: key, Value: true}), append(want, key)
	}
	log := deliver(t, r, events...)

	assert.Equal(t, want, r.keys)
	assert.Equal(t, 1, strings.Count(log, "\n"), log)
	assert.Contains(t, log, "events=2")
	assert.Contains(t, log, "HTTP Code 413")
}
