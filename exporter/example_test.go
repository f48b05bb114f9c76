package exporter_test

import (
	"context"
	"fmt"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"

	"github.com/offlock/offlock/exporter"
)

// webhook is some exporter of the library's, or of your own. This one is down at first.
type webhook struct{ down bool }

func (*webhook) IsBulk() bool { return true }

func (w *webhook) Export(ctx context.Context, _ *fflog.FFLogger, events []ffexporter.ExportableEvent) error {
	batch, _ := exporter.BatchFrom(ctx)
	if w.down {
		w.down = false
		fmt.Printf("attempt %d, events %d to %d: 503\n", batch.Attempt, batch.First, batch.Last)
		return fmt.Errorf("503 Service Unavailable")
	}
	fmt.Printf("attempt %d, events %d to %d: 204\n", batch.Attempt, batch.First, batch.Last)
	return nil
}

// An exporter that fails, or takes its time, in an Async: the callers of AddEvent do not notice.
func Example() {
	async, err := exporter.NewAsync(&webhook{down: true}, exporter.AsyncOptions{MaxEvents: 10_000, Timeout: 30 * time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	// What ffclient.New makes of Config.DataExporter:
	manager := ffexporter.NewManager[ffexporter.FeatureEvent](
		[]ffexporter.Config{{Exporter: async, FlushInterval: time.Minute, MaxEventInMemory: 3}}, time.Minute, nil)
	manager.Start()
	for i := range 7 {
		manager.AddEvent(ffexporter.FeatureEvent{Kind: "feature", Key: "new-checkout", UserKey: fmt.Sprint("user-", i)})
	}
	manager.Stop() // client.Close, in a service

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	fmt.Println("left behind:", async.Stop(ctx))
	fmt.Println("events handled:", async.Stats().Events.Handled)
	// Output:
	// attempt 1, events 0 to 2: 503
	// attempt 2, events 0 to 2: 204
	// attempt 1, events 3 to 5: 204
	// attempt 1, events 6 to 6: 204
	// left behind: <nil>
	// events handled: 7
}
