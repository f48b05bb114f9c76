package regress

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Bounds of the steps around a run. All are far above what they take, so that only a fault reaches them.
const (
	startBound = time.Minute // until a process says that it is ready
	stopBound  = 2 * time.Minute
)

// sample is what the rounds of one arm in one scenario gave.
type sample struct {
	latencies [endpoints]*recorder
	events    Events
	accounts  []Account
	stop      Stop
	peak      Peak
	levels    levels
	trouble   []string // with the service itself
}

// Peak is the most that the service had at any moment, over all rounds.
type Peak struct {
	Goroutines int64   `json:"goroutines"`
	MemoryMB   float64 `json:"memoryMB"` // resident
	CPU        float64 `json:"cpu"`      // processor time per time of the run: 1 is one core
}

func newSample(p pace) *sample {
	s := &sample{accounts: []Account{}, stop: Stop{Clean: true}}
	for e := range s.latencies {
		s.latencies[e] = newRecorder(p.length)
	}
	return s
}

func (s *sample) merge(other *sample) {
	for e, r := range s.latencies {
		r.merge(other.latencies[e])
	}
	s.events.add(other.events)
	s.accounts = addAccounts(s.accounts, other.accounts)
	s.stop = Stop{Clean: s.stop.Clean && other.stop.Clean, CloseMs: max(s.stop.CloseMs, other.stop.CloseMs)}
	s.levels.merge(&other.levels)
	s.trouble = append(s.trouble, other.trouble...)
	s.peak = Peak{
		Goroutines: max(s.peak.Goroutines, other.peak.Goroutines),
		MemoryMB:   max(s.peak.MemoryMB, other.peak.MemoryMB),
		CPU:        max(s.peak.CPU, other.peak.CPU),
	}
}

// bench is where runs take place.
type bench struct {
	sink     *sink
	pace     pace
	arrivals []arrival
	temp     string // for the files of the services
	runs     int    // so far: it names the buckets
}

// run drives one arm's service through one round of a scenario: a new process, a new bucket. What goes wrong with the
// service itself is part of the sample; an error means that there is none.
func (b *bench) run(ctx context.Context, arm builtArm, s Scenario) (*sample, error) {
	b.runs++
	name := fmt.Sprintf("run-%03d", b.runs)
	if err := b.sink.makeBucket(ctx, name); err != nil {
		return nil, err
	}
	arrivals := withEvents(b.arrivals, max(s.Events, 1))
	if err := b.sink.setFaults(ctx, s.faults(s.Outage > 0)); err != nil {
		return nil, err
	}

	var ready struct {
		Listening string `json:"listening"`
	}
	env := b.environment(name, arm.Arm, s)
	service, err := start(ctx, "service on "+arm.Name, arm.binary, env, startBound, &ready)
	if err != nil {
		return nil, err
	}
	defer service.kill()
	began := time.Now()

	result := newSample(b.pace)
	answers, err := b.load(ctx, "http://"+ready.Listening, s, arrivals, result)
	if err != nil {
		return nil, err
	}
	var last stopped
	if err := service.stop(stopBound, &last); err != nil {
		result.trouble = append(result.trouble, err.Error())
	}
	result.stop = Stop{Clean: last.Stopped, CloseMs: last.CloseMS}
	result.accounts = append(result.accounts, last.Exporters...)
	result.peak = Peak{
		Goroutines: last.PeakGoroutines,
		MemoryMB:   float64(last.PeakRSSBytes) / 1e6,
		CPU:        service.cpu().Seconds() / time.Since(began).Seconds(),
	}
	if leaves(result.accounts) {
		if err := b.inherit(ctx, arm, env, result); err != nil {
			return nil, err
		}
	}

	held, err := b.sink.tally(ctx, name)
	if err != nil {
		return nil, err
	}
	if result.events, err = settle(arrivals, answers, held); err != nil {
		return nil, err
	}
	for i, a := range arrivals {
		if a.warmup {
			continue
		}
		if err := result.latencies[a.endpoint].record(a.at-b.pace.warmup, answers[i]); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// load drives the service at base while its goroutines are watched, and makes the sink well where an outage ends.
func (b *bench) load(ctx context.Context, base string, s Scenario, arrivals []arrival, result *sample) ([]answer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	outage := time.Duration(s.Outage * float64(b.pace.length))
	recovered := make(chan error, 1)
	recovery := time.AfterFunc(b.pace.warmup+outage, func() { recovered <- b.sink.setFaults(ctx, s.faults(false)) })
	watcher := watch(ctx, base, b.pace)

	answers, err := drive(ctx, base, arrivals, s.bound(b.pace))
	seen, watchErr := watcher.end()
	if err != nil {
		cancel() // what is in flight need not finish
	}
	if recovery.Stop() {
		recovered <- nil // the run was cut short before
	}
	if err = errors.Join(err, <-recovered); err != nil {
		return nil, err
	}
	result.levels = seen
	if watchErr != nil {
		result.trouble = append(result.trouble, watchErr.Error())
	}
	return answers, nil
}
