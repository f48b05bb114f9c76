package library

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	ffclient "github.com/thomaspoignant/go-feature-flag"
	"github.com/thomaspoignant/go-feature-flag/exporter/webhookexporter"
	"github.com/thomaspoignant/go-feature-flag/ffcontext"

	"github.com/offlock/offlock/exporter"
)

// The library's webhook exporter in an Async: a webhook that takes its time is nobody's but its own.
func Example() {
	webhook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	defer webhook.Close()

	async, err := exporter.NewAsync(&webhookexporter.Exporter{EndpointURL: webhook.URL}, exporter.AsyncOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := ffclient.New(ffclient.Config{
		PollingInterval: -1,
		Retriever:       flags{},
		DataExporter: ffclient.DataExporter{
			FlushInterval: time.Minute, MaxEventInMemory: 1000, Exporter: async,
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 2500 {
		_, _ = client.BoolVariation("flag", ffcontext.NewEvaluationContext(fmt.Sprint("user-", i)), false)
	}

	client.Close() // first: it flushes
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	fmt.Println("left behind:", async.Stop(ctx))
	fmt.Println("events exported:", async.Stats().Events.Handled)
	// Output:
	// left behind: <nil>
	// events exported: 2500
}
