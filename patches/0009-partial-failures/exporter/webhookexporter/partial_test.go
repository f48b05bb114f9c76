//go:build ignore

package webhookexporter

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/thomaspoignant/go-feature-flag/exporter"
)

// busyReceiver takes one event a call, and fails twice with the one of user 3.
type busyReceiver struct {
	failures int
	taken    []string
}

func (b *busyReceiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch events := bytes.Count(body, []byte(`"userKey":`)); {
	case events > 1:
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	case bytes.Contains(body, []byte(`"userKey":"3"`)) && b.failures < 2:
		b.failures++
		w.WriteHeader(http.StatusInternalServerError)
	default:
		_, rest, _ := strings.Cut(string(body), `"userKey":"`)
		user, _, _ := strings.Cut(rest, `"`)
		b.taken = append(b.taken, user)
	}
}

// A retry makes the calls that failed, and no others.
func TestWebhook_RetrySendsWhatWasNotTaken(t *testing.T) {
	receiver := &busyReceiver{}
	server := httptest.NewServer(receiver)
	defer server.Close()
	manager := exporter.NewManager[exporter.FeatureEvent]([]exporter.Config{{
		FlushInterval: time.Hour, MaxEventInMemory: 6, Exporter: &Exporter{EndpointURL: server.URL},
	}}, time.Hour, nil)
	for i := range 6 {
		manager.AddEvent(exporter.FeatureEvent{UserKey: strconv.Itoa(i), Value: true})
	}
	manager.Stop()
	assert.Equal(t, []string{"0", "1", "2", "3", "4", "5"}, receiver.taken)
}
