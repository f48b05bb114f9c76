package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/thomaspoignant/go-feature-flag/exporter"
)

// maxCollectBytes bounds the body of one /collect: some five thousand events.
const maxCollectBytes = 1 << 20

// collection is the body of /collect, the shape that the relay proxy's data collector takes.
type collection struct {
	Events []exporter.FeatureEvent `json:"events"`
}

// collect answers POST /collect. It hands each event to add and answers after the last one, so the caller waits for
// as long as add does. A body with one bad event is refused whole.
func collect(add func(exporter.FeatureEvent)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		events, err := decodeEvents(http.MaxBytesReader(w, r.Body, maxCollectBytes))
		if err != nil {
			status := http.StatusBadRequest
			if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
				status = http.StatusRequestEntityTooLarge
			}
			refuse(w, status, err.Error())
			return
		}
		for _, event := range events {
			add(event)
		}
		answer(w, http.StatusOK, map[string]int{"ingestedContentCount": len(events)})
	}
}

func decodeEvents(body io.Reader) ([]exporter.FeatureEvent, error) {
	dec := json.NewDecoder(body)
	var c collection
	if err := dec.Decode(&c); err != nil {
		return nil, fmt.Errorf("the body is not the JSON object {\"events\":[…]}: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		if err != nil {
			return nil, fmt.Errorf("reading behind the JSON object: %w", err)
		}
		return nil, errors.New("more than one JSON value in the body")
	}
	if c.Events == nil {
		return nil, errors.New("the body has no events")
	}
	for i := range c.Events {
		if err := complete(&c.Events[i]); err != nil {
			return nil, fmt.Errorf("events[%d]: %w", i, err)
		}
	}
	return c.Events, nil
}

// complete fills in what a sender may leave out.
func complete(event *exporter.FeatureEvent) error {
	if event.UserKey == "" {
		return errors.New("no userKey")
	}
	if event.Key == "" {
		return errors.New("no key")
	}
	switch event.Kind {
	case "":
		event.Kind = "feature"
	case "feature":
	default:
		return fmt.Errorf("kind %q: only feature events are collected", event.Kind)
	}
	if event.ContextKind == "" {
		event.ContextKind = "user"
	}
	if event.CreationDate == 0 {
		event.CreationDate = time.Now().Unix()
	}
	if event.Source == "" {
		event.Source = "PROVIDER_CACHE" // evaluated by the sender, from its own copy of the flags
	}
	return nil
}
