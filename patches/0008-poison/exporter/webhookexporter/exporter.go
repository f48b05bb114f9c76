//go:build ignore

package webhookexporter

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/internal"
	"github.com/thomaspoignant/go-feature-flag/internal/signer"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// Export sends the events in a call of the webhook, or in several, if it answers that a call is too large. An event
// that cannot be encoded, or that is too large by itself, is set aside.
func (f *Exporter) Export(
	ctx context.Context,
	logger *fflog.FFLogger,
	events []exporter.ExportableEvent,
) error {
	f.init.Do(f.complete)

	refused := map[int]error{}
	err := f.deliver(ctx, newBatch(events), refused)
	var aside []exporter.Refused
	for i, event := range events {
		if reason := refused[i]; reason != nil {
			aside = append(aside, exporter.Refused{Index: i, Event: event, Err: reason})
		}
	}
	exporter.SetAside(ctx, logger, aside...)
	return err
}

// complete fills in what the configuration leaves out.
func (f *Exporter) complete() {
	if f.httpClient == nil {
		f.httpClient = internal.DefaultHTTPClient()
	}
	if f.Meta == nil {
		f.Meta = map[string]string{}
	}
	if _, given := f.Meta["hostname"]; !given {
		f.Meta["hostname"], _ = os.Hostname()
	}
}

// batch is a part of the events of an Export.
type batch struct {
	events []exporter.ExportableEvent
	places []int // of each event, among all of the Export
}

func newBatch(events []exporter.ExportableEvent) batch {
	places := make([]int, len(events))
	for i := range places {
		places[i] = i
	}
	return batch{events: events, places: places}
}

// deliver sends a batch. It adds the events that will never be delivered to refused, with the reason.
func (f *Exporter) deliver(ctx context.Context, b batch, refused map[int]error) error {
	payload, err := f.encode(b.events)
	if err != nil { // because of some of them: there is nothing else that can fail
		if b = b.encodable(refused); len(b.events) == 0 {
			return nil
		}
		if payload, err = f.encode(b.events); err != nil {
			return err
		}
	}
	status, err := f.post(ctx, payload)
	switch n := len(b.events); {
	case status != http.StatusRequestEntityTooLarge || n == 0:
		return err
	case n == 1:
		refused[b.places[0]] = err
		return nil
	default:
		if err := f.deliver(ctx, batch{b.events[:n/2], b.places[:n/2]}, refused); err != nil {
			return err
		}
		return f.deliver(ctx, batch{b.events[n/2:], b.places[n/2:]}, refused)
	}
}

// encodable returns the batch without the events that cannot be encoded.
func (b batch) encodable(refused map[int]error) (good batch) {
	for i, event := range b.events {
		if _, err := json.Marshal(event); err != nil {
			refused[b.places[i]] = err
			continue
		}
		good.events, good.places = append(good.events, event), append(good.places, b.places[i])
	}
	return good
}

func (f *Exporter) encode(events []exporter.ExportableEvent) ([]byte, error) {
	return json.Marshal(webhookPayload{Meta: f.Meta, Events: events})
}

// post makes a call of the webhook. The status is 0 if there was no answer.
func (f *Exporter) post(ctx context.Context, payload []byte) (status int, err error) {
	body := io.NopCloser(bytes.NewReader(payload))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, f.EndpointURL, body)
	if err != nil {
		return 0, err
	}
	request.Header = f.header(payload)
	response, err := f.httpClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode > 399 {
		err = fmt.Errorf("error while calling the webhook, HTTP Code %d received", response.StatusCode)
	}
	return response.StatusCode, err
}

// header returns the header of a call: with a secret, it has the signature of the payload.
func (f *Exporter) header(payload []byte) http.Header {
	if f.Headers == nil {
		f.Headers = map[string][]string{}
	}
	f.Headers["Content-Type"] = []string{"application/json"}
	if f.Secret != "" {
		f.Headers["X-Hub-Signature-256"] = []string{signer.Sign(payload, []byte(f.Secret))}
	}
	return f.Headers
}
