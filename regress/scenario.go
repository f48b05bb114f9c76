package regress

import (
	"time"
)

// Scenario is one way in which the sink of the events behaves, and how the service is set up for it.
// Durations are those of a full run; [Scenario.scaled] makes the quick ones.
type Scenario struct {
	Name  string `json:"name"`
	About string `json:"about"` // what is delayed or fails, in a few words

	FlushInterval time.Duration `json:"flushInterval"`
	MaxEvents     int           `json:"maxEventsInMemory"`
	Upload        time.Duration `json:"upload"`           // how long the sink takes for one upload
	Jitter        time.Duration `json:"jitter,omitempty"` // the exporter sleeps a random time up to this before each upload
	NonBulk       bool          `json:"nonBulk,omitempty"`
	Outage        float64       `json:"outage,omitempty"` // the sink answers 503 SlowDown during this part of the run, from its start
	Hung          bool          `json:"hung,omitempty"`   // another exporter beside S3 never returns

	Events int           `json:"events,omitempty"` // that a request brings; 0: one
	Once   bool          `json:"once,omitempty"`   // one round is enough: it is about counts
	Bound  time.Duration `json:"bound,omitempty"`  // after the schedule, for outstanding requests; 0: [pace]'s
	Close  time.Duration `json:"close,omitempty"`  // what the library's Close may take, where it has a limit; 0: closeLimit
}

const (
	// roomy is a buffer that no run fills, so that only the timer flushes.
	roomy = 100_000
	// tight is a buffer that fills several times a second.
	tight = 100
	// blocked is a buffer that fills within a second, and of which ten outlast a pause of the machine.
	blocked = 250
	// outlasting is a buffer of which ten outlast the outage at the default rate, with half of them to spare.
	outlasting = 1000
	// crowded is a buffer of which ten last for half a second of crowd's load.
	crowded = 500
	// crowd is how many events a request brings where the load must show in the memory of a service that keeps them all.
	crowd = 25
)

// Scenarios lists all scenarios. The first is the yardstick of the others.
func Scenarios() []Scenario {
	return []Scenario{
		{Name: instantName, About: "nothing is delayed: the yardstick",
			FlushInterval: 5 * time.Second, MaxEvents: roomy},
		{Name: "timer", About: "flush by timer, an upload takes 65 ms",
			FlushInterval: 5 * time.Second, MaxEvents: roomy, Upload: 65 * time.Millisecond},
		{Name: "jitter", About: "the exporter sleeps a random time before each 65 ms upload, as in the post-mortem",
			FlushInterval: 5 * time.Second, MaxEvents: roomy, Upload: 65 * time.Millisecond, Jitter: 7 * time.Second},
		{Name: "threshold", About: "the buffer of 100 events fills while an upload takes 500 ms",
			FlushInterval: 5 * time.Second, MaxEvents: tight, Upload: 500 * time.Millisecond},
		{Name: "nonbulk", About: "the exporter exports every event at once, 100 ms a call",
			FlushInterval: 5 * time.Second, MaxEvents: roomy, Upload: 100 * time.Millisecond, NonBulk: true},
		{Name: outageName, About: "the sink answers 503 SlowDown for the first half of the run, then is well again",
			FlushInterval: 5 * time.Second, MaxEvents: outlasting, Upload: 65 * time.Millisecond, Outage: 0.5, Once: true},
		{Name: crowdName, About: "25 events a request, nothing is delayed: the yardstick of outage-long's memory",
			FlushInterval: 5 * time.Second, MaxEvents: crowded, Events: crowd, Once: true, Bound: 10 * time.Second},
		{Name: outageLongName, About: "25 events a request, and the sink answers 503 SlowDown for two thirds of the run: far beyond what may wait",
			FlushInterval: 5 * time.Second, MaxEvents: crowded, Events: crowd, Outage: 2.0 / 3, Once: true, Bound: 10 * time.Second},
		{Name: hungName, About: "a second exporter never returns, also when the service stops",
			FlushInterval: 5 * time.Second, MaxEvents: blocked, Hung: true, Once: true, Bound: 4 * time.Second, Close: 2 * time.Second},
	}
}

// The scenarios that a verdict knows by name.
const (
	instantName    = "instant" // the others are held against it
	outageName     = "outage"
	crowdName      = "crowd"
	outageLongName = "outage-long"
	hungName       = "hung"
)

// SinkTime is how long one export takes on average: the wait that a caller must not see. Zero: nothing is delayed.
func (s Scenario) SinkTime() time.Duration { return s.Upload + s.Jitter/2 }

const (
	// quickFactor is by how much a quick run is shorter.
	quickFactor = 10
	// quickLimits is the same for limits that a run waits for or must pass: they have to stay above a pause of the machine.
	quickLimits = 2
)

// scaled divides what paces the service by factor, and limits by less. The sink's own delay stays: it is what a caller would
// wait for.
func (s Scenario) scaled(factor time.Duration) Scenario {
	s.FlushInterval /= factor
	s.Jitter /= factor
	s.Bound /= quickLimits
	s.Close /= quickLimits
	if s.Events > 1 {
		s.MaxEvents /= quickLimits // else a quick outage would not pass it
	}
	return s
}

// pace is how long and how hard every scenario is driven.
type pace struct {
	rounds int           // runs of each arm in a scenario
	length time.Duration // measured part of one round
	warmup time.Duration // before it
	bound  time.Duration // after it, for outstanding requests
	rate   float64       // requests a second to each endpoint
}

// DefaultRate is how many requests a second each endpoint gets. At this rate driver, service and companion together used
// about a third of one core, so nothing is saturated, and all requests of a round may be outstanding with 7,000 open files.
const DefaultRate = 200

func newPace(quick bool, rate float64) pace {
	p := pace{rounds: 2, length: 10 * time.Second, warmup: time.Second, bound: time.Minute, rate: rate}
	if quick {
		p.length /= quickFactor
		p.rounds = 1                          // a second one would spend more time on starting services than on driving them
		p.warmup = p.warmup * 3 / quickFactor // not a tenth: a new process needs some requests to settle
	}
	return p
}
