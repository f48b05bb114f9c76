package peers

import (
	"bytes"
	"sync/atomic"
	"testing"
	"time"

	"github.com/launchdarkly/go-sdk-common/v3/ldcontext"
	"github.com/launchdarkly/go-sdk-common/v3/ldlog"
	"github.com/launchdarkly/go-sdk-common/v3/ldtime"
	"github.com/launchdarkly/go-sdk-common/v3/ldvalue"
	ldevents "github.com/launchdarkly/go-sdk-events/v3"

	"github.com/offlock/offlock/bench/internal/measure"
)

// launchDarkly is the event processor of the SDK, told to send every evaluation and not just a summary of them.
func launchDarkly(tb testing.TB) measure.Queue {
	out := &payloadCounter{}
	processor := ldevents.NewDefaultEventProcessor(ldevents.EventsConfiguration{
		Capacity: room, EventSender: out, Loggers: ldlog.NewDisabledLoggers(),
		FlushInterval: time.Hour, UserKeysCapacity: 1000, UserKeysFlushInterval: time.Hour,
	})
	tb.Cleanup(func() {
		if err := processor.Close(); err != nil {
			tb.Fatal(err)
		}
	})
	event := measure.NewEvent()
	evaluation := ldevents.EvaluationData{
		BaseEvent: ldevents.BaseEvent{
			CreationDate: ldtime.UnixMillisecondTime(event.CreationDate * 1000),
			Context:      ldevents.Context(ldcontext.New(event.UserKey)),
		},
		Key: event.Key, Variation: ldvalue.NewOptionalInt(1), Value: ldvalue.Bool(true), Version: ldvalue.NewOptionalInt(1),
		RequireFullEvent: true,
	}
	return measure.Queue{
		Add: func(_ measure.Event, n int) {
			for range n {
				processor.RecordEvaluation(evaluation)
			}
		},
		Drain: func() int {
			if !processor.FlushBlocking(time.Minute) {
				tb.Fatal("no flush in a minute")
			}
			return int(out.n.Swap(0))
		},
	}
}

// payloadCounter is a sender that takes no time but to count the evaluations in what it gets: there are other events, too.
type payloadCounter struct{ n atomic.Int64 }

func (c *payloadCounter) SendEventData(_ ldevents.EventDataKind, data []byte, _ int) ldevents.EventSenderResult {
	c.n.Add(int64(bytes.Count(data, []byte(`"kind":"feature"`))))
	return ldevents.EventSenderResult{Success: true}
}
