package addevent

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	ffclient "github.com/thomaspoignant/go-feature-flag"
	"github.com/thomaspoignant/go-feature-flag/ffcontext"

	"github.com/offlock/offlock/bench/internal/measure"
)

// flags is a retriever of one flag.
type flags string

func (f flags) Retrieve(context.Context) ([]byte, error) { return []byte(f), nil }

// flushed is how many events are exported at once.
const flushed = 10_000

// BenchmarkBoolVariation is the cost of an evaluation with and without its event. The sink takes no time, and a million
// events went to it before, as in a service that has run for a while.
func BenchmarkBoolVariation(b *testing.B) {
	for _, tracking := range []string{"off", "on"} {
		b.Run(fmt.Sprintf("tracking=%s/exported=%d", tracking, stored), func(b *testing.B) {
			measure.Warm()
			s := newSink()
			client, err := ffclient.New(ffclient.Config{
				PollingInterval: never,
				Retriever: flags(fmt.Sprintf(`
flag:
  variations:
    enabled: true
    disabled: false
  defaultRule:
    variation: enabled
  trackEvents: %t
`, tracking == "on")),
				DataExporter: ffclient.DataExporter{Exporter: s, FlushInterval: never, MaxEventInMemory: flushed},
			})
			if err != nil {
				b.Fatal(err)
			}
			event := measure.NewEvent()
			for i := range stored {
				client.CollectEventData(event)
				for i-int(s.received.Load()) > 2*flushed { // the fork drops what is further behind than its bound
					runtime.Gosched()
				}
			}
			user := ffcontext.NewEvaluationContext(event.UserKey)

			b.ReportAllocs()
			for b.Loop() {
				if on, err := client.BoolVariation("flag", user, false); err != nil || !on {
					b.Fatalf("BoolVariation = %t, %v", on, err)
				}
			}
			client.Close()
			events := stored
			if tracking == "on" {
				events += b.N
			}
			measure.ReportDelivered(b, int(s.received.Load()), events)
		})
	}
}
