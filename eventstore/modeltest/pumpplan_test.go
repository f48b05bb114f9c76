package modeltest

import (
	"time"

	"github.com/offlock/offlock/eventstore"
	"pgregory.net/rapid"
)

// plan is all that happens to a store and its pumps, drawn before it begins, as what runs under the fake clock cannot draw.
type plan struct {
	segment int
	pumps   []pumpPlan
	steps   []stepPlan
	start   bool // else nothing is started before the first Flush or Stop
	stops   []time.Duration
}

// pumpPlan is a consumer with its pump, and what its handler does at each call; after that it is well.
type pumpPlan struct {
	consumer eventstore.ConsumerOptions
	options  eventstore.PumpOptions
	rand     float64
	script   []deed
}

// deed is what a handler does at one call.
type deed struct {
	does manner
	time time.Duration // it takes
	ask  time.Duration // the sink's Retry-After, of an error
}

type manner int

const (
	succeeds manner = iota
	fails
	panics
	exits        // ends its goroutine
	minds        // waits for its context to end
	hangs        // takes its time, whatever the context says, and succeeds
	hangsToFail  // the same, and fails
	hangsForever // until the test ends
	manners      // how many there are
)

func (d deed) ok() bool { return d.does == succeeds || d.does == hangs }

// stepPlan appends, waits, and then flushes, in the background, those pumps whose bit is set.
type stepPlan struct {
	events  int
	wait    time.Duration
	flush   int
	timeout time.Duration // of the flush
}

// durations are drawn from few, so that things fall together.
func drawDuration(t *rapid.T, label string, from ...time.Duration) time.Duration {
	return rapid.SampledFrom(from).Draw(t, label)
}

func drawPlan(t *rapid.T) plan {
	p := plan{segment: rapid.IntRange(1, 9).Draw(t, "segment size"), start: rapid.IntRange(0, 4).Draw(t, "start") < 4}
	for range rapid.IntRange(1, 3).Draw(t, "pumps") {
		p.pumps = append(p.pumps, drawPump(t))
	}
	p.steps = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) stepPlan {
		return stepPlan{
			events:  rapid.IntRange(0, 30).Draw(t, "events"),
			wait:    drawDuration(t, "wait", 0, time.Millisecond, 50*time.Millisecond, time.Second, 7*time.Second, 30*time.Second),
			flush:   rapid.IntRange(0, 7).Draw(t, "flush"),
			timeout: drawDuration(t, "flush timeout", time.Millisecond, 3*time.Second, time.Hour),
		}
	}), 1, 12).Draw(t, "steps")
	// The deadlines of those who call Stop, at the same time; none is a Stop without a deadline, after a long wait.
	p.stops = rapid.SliceOfN(rapid.SampledFrom([]time.Duration{
		0, time.Millisecond, time.Second, 20 * time.Second, 10 * time.Minute, 2 * time.Hour,
	}), 0, 3).Draw(t, "stops")
	return p
}

func drawPump(t *rapid.T) pumpPlan {
	p := pumpPlan{
		consumer: drawOptions(t),
		options: eventstore.PumpOptions{
			Interval:    drawDuration(t, "interval", 2*time.Second, 15*time.Second, time.Minute),
			MaxBatch:    rapid.IntRange(1, 20).Draw(t, "max batch"),
			Timeout:     drawDuration(t, "timeout", 100*time.Millisecond, time.Second, 10*time.Second),
			BackoffBase: drawDuration(t, "backoff base", 10*time.Millisecond, time.Second),
			BackoffCap:  drawDuration(t, "backoff cap", time.Second, 30*time.Second),
		},
		rand: rapid.SampledFrom([]float64{0, 0.25, 0.5, 0.999}).Draw(t, "rand"),
	}
	if rapid.Bool().Draw(t, "roomy") {
		p.consumer.MaxLag = 10_000
	}
	if rapid.IntRange(0, 3).Draw(t, "healthy") > 0 {
		p.script = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) deed {
			return deed{
				does: manner(rapid.IntRange(0, int(manners)-1).Draw(t, "does")),
				time: drawDuration(t, "takes", 0, time.Millisecond, 90*time.Millisecond, 2*time.Second, 25*time.Second),
				ask:  drawDuration(t, "asks", 0, 0, 5*time.Second, 3*time.Hour),
			}
		}), 0, 12).Draw(t, "script")
	}
	return p
}
