package regress

import (
	"context"
	"errors"
	"fmt"
	"strconv"
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
	s := &sample{}
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
	sick, well := s.faults()
	if err := b.sink.setFaults(ctx, sick); err != nil {
		return nil, err
	}

	var ready struct {
		Listening string `json:"listening"`
	}
	service, err := start(ctx, "service on "+arm.Name, arm.binary, b.environment(name, s), startBound, &ready)
	if err != nil {
		return nil, err
	}
	defer service.kill()
	began := time.Now()

	result := newSample(b.pace)
	answers, err := b.load(ctx, "http://"+ready.Listening, well, result)
	if err != nil {
		return nil, err
	}
	var stopped struct {
		PeakGoroutines int64 `json:"peakGoroutines"`
		PeakRSSBytes   int64 `json:"peakRSSBytes"`
	}
	if err := service.stop(stopBound, &stopped); err != nil {
		result.trouble = append(result.trouble, err.Error())
	}
	result.peak = Peak{
		Goroutines: stopped.PeakGoroutines,
		MemoryMB:   float64(stopped.PeakRSSBytes) / 1e6,
		CPU:        service.cpu().Seconds() / time.Since(began).Seconds(),
	}

	held, err := b.sink.tally(ctx, name)
	if err != nil {
		return nil, err
	}
	if result.events, err = settle(b.arrivals, answers, held); err != nil {
		return nil, err
	}
	for i, a := range b.arrivals {
		if a.warmup {
			continue
		}
		if err := result.latencies[a.endpoint].record(a.at-b.pace.warmup, answers[i]); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// load drives the service at base while its goroutines are watched, and makes the sink well in the middle of the run.
func (b *bench) load(ctx context.Context, base string, well faults, result *sample) ([]answer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	recovered := make(chan error, 1)
	recovery := time.AfterFunc(b.pace.warmup+b.pace.length/2, func() { recovered <- b.sink.setFaults(ctx, well) })
	watcher := watch(ctx, base, b.pace)

	answers, err := drive(ctx, base, b.arrivals, b.pace.bound)
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

// faults returns what stands before S3 in the first and in the second half of a run.
func (s Scenario) faults() (first, second faults) {
	second = faults{DelayMS: s.Upload.Milliseconds()}
	first = second
	if s.Outage {
		first.Status, first.Code = 503, "SlowDown"
	}
	return first, second
}

// environment is all that the service sees: nothing of the caller's, so that no AWS profile gets into a run.
func (b *bench) environment(bucket string, s Scenario) []string {
	return []string{
		"ADDR=127.0.0.1:0",
		"REDIS_ADDR=" + b.sink.Redis,
		"S3_BUCKET=" + bucket,
		"S3_PATH=events",
		"S3_PATH_STYLE=true",
		"AWS_REGION=us-east-1",
		"AWS_ACCESS_KEY_ID=prove",
		"AWS_SECRET_ACCESS_KEY=prove",
		"AWS_ENDPOINT_URL_S3=" + b.sink.S3,
		"FLUSH_INTERVAL=" + s.FlushInterval.String(),
		"MAX_EVENTS_IN_MEMORY=" + strconv.Itoa(s.MaxEvents),
		"EXPORT_JITTER=" + s.Jitter.String(),
		"NON_BULK=" + strconv.FormatBool(s.NonBulk),
		"SHUTDOWN_TIMEOUT=" + (stopBound / 2).String(),
		"TMPDIR=" + b.temp,
	}
}
