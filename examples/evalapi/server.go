package main

import (
	"encoding/json"
	"net/http"

	ffclient "github.com/thomaspoignant/go-feature-flag"
	"github.com/thomaspoignant/go-feature-flag/exporter"
)

// newHandler routes the service's requests. Every answer, an error too, is one JSON value.
func newHandler(client *ffclient.GoFeatureFlag, peaks *peaks) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /flag-evaluation", evaluate(client))
	mux.Handle("POST /collect", collect(client.CollectEventData))
	mux.Handle("POST /check", collect(func(exporter.FeatureEvent) {}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("GET /stats", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, peaks.stats())
	})
	return mux
}

// answer writes v as JSON. A value that cannot be encoded is this service's fault: 500.
func answer(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		refuse(w, http.StatusInternalServerError, "the answer cannot be written as JSON: "+err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // a client that left needs no answer
}

// refuse answers with what is wrong with the request.
func refuse(w http.ResponseWriter, status int, reason string) {
	answer(w, status, map[string]string{"error": reason})
}
