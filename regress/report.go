package regress

import (
	"runtime"
	"slices"
	"time"
)

// Report is what [Prove] measured and how it judges it. Its JSON form is for scripts: fields may be added, none changes
// its meaning.
type Report struct {
	Settings  Settings         `json:"settings"`
	Arms      []ArmInfo        `json:"arms"`
	Scenarios []ScenarioResult `json:"scenarios"`
	Verdicts  []Verdict        `json:"verdicts"` // one a promise, in order
	Others    []Finding        `json:"others"`   // what the arms beside the fork do
	Remarks   []string         `json:"remarks"`  // what a reader must know to read the figures
}

// Settings say how it was measured.
type Settings struct {
	Quick   bool    `json:"quick"`
	Rate    float64 `json:"rate"` // requests a second to each endpoint
	Rounds  int     `json:"rounds"`
	RoundS  float64 `json:"roundS"`  // measured seconds a round
	WarmupS float64 `json:"warmupS"` // seconds before, not measured
	BoundS  float64 `json:"boundS"`  // seconds after, for outstanding requests
	CPUs    int     `json:"cpus"`
	Go      string  `json:"go"`
	OS      string  `json:"os"`
	Began   string  `json:"began"` // RFC 3339, UTC
}

// ArmInfo names an arm.
type ArmInfo struct {
	Name    string   `json:"name"`
	Version string   `json:"version"`
	Patches []string `json:"patches"` // that its binary proved to hold
}

// ScenarioResult is one scenario with the figures of every arm.
type ScenarioResult struct {
	Name      string      `json:"name"`
	About     string      `json:"about"`
	FlushS    float64     `json:"flushIntervalS"`
	MaxEvents int         `json:"maxEventsInMemory"`
	UploadMs  float64     `json:"uploadMs"`
	JitterMs  float64     `json:"jitterMs"` // at most
	SinkMs    float64     `json:"sinkMs"`   // one export, on average
	NonBulk   bool        `json:"nonBulk"`
	OutageS   float64     `json:"outageS"` // the sink fails until then, seconds of the measured part
	Hung      bool        `json:"hung"`    // another exporter never returns; sinkMs is then the run
	Events    int         `json:"eventsPerRequest"`
	Rounds    int         `json:"rounds"`
	BoundS    float64     `json:"boundS"`       // seconds after, for outstanding requests
	CloseMs   float64     `json:"closeLimitMs"` // what Close may take, where the library has a limit
	Arms      []ArmResult `json:"arms"`
}

// ArmResult is what one arm did in one scenario.
type ArmResult struct {
	Arm        string    `json:"arm"`
	Collect    Latency   `json:"collect"`
	Evaluation Latency   `json:"evaluation"`
	Check      Latency   `json:"check"` // the work of /collect, without the library
	Events     Events    `json:"events"`
	Accounts   []Account `json:"accounts"` // one an exporter, if the library counts
	Peak       Peak      `json:"peak"`
	Stop       Stop      `json:"stop"`
	Goroutines []Level   `json:"goroutines"` // over the run; the most of all rounds
	Trouble    []string  `json:"trouble"`    // with the service itself: it crashed, or did not stop
}

// failed is how many requests that make events had another answer than a 2xx.
func (a *ArmResult) failed() int64 { return a.Collect.Failed + a.Evaluation.Failed }

// unanswered is how many requests that make events had no answer at the bound.
func (a *ArmResult) unanswered() int64 { return a.Collect.Unanswered + a.Evaluation.Unanswered }

// Level is how many goroutines the service had at one moment.
type Level struct {
	At    float64 `json:"atS"` // seconds since the measured part began
	Count int64   `json:"count"`
}

// remarks hold for every report of this version of the service and the library.
var remarks = []string{
	"Latency counts from the scheduled arrival of a request, so time spent waiting to be sent is part of it; " +
		"requests that failed are in it too.",
	"In the plain releases an evaluation hides the wait behind a goroutine an event: the wait shows at /collect, " +
		"and for /flag-evaluation in goroutines and memory.",
	"/check does the work of /collect without the library: how slow it is, the machine is.",
	"Goroutines and memory are the most that the service had; CPU 1.0 is one core; lost and repeated are counted in what S3 holds, " +
		"dropped by the library itself or by this module's exporters (the plain releases do not count).",
}

func newReport(quick bool, p pace, arms []builtArm) *Report {
	r := &Report{
		Settings: Settings{
			Quick: quick, Rate: p.rate, Rounds: p.rounds,
			RoundS: p.length.Seconds(), WarmupS: p.warmup.Seconds(), BoundS: p.bound.Seconds(),
			CPUs: runtime.NumCPU(), Go: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH,
			Began: time.Now().UTC().Format(time.RFC3339),
		},
		Remarks: slices.Clone(remarks),
	}
	if quick {
		r.Remarks = append(r.Remarks, "Quick run: run length, flush interval and jitter are a tenth of a full run's, "+
			"there is one round, and with so few requests p99.9 is the maximum or close to it.")
	}
	for _, arm := range arms {
		r.Arms = append(r.Arms, ArmInfo{Name: arm.Name, Version: arm.Version, Patches: arm.patches})
	}
	return r
}

// add adds a scenario that was driven at the pace; sample i belongs to arm i.
func (r *Report) add(p pace, s Scenario, samples []*sample) {
	result := ScenarioResult{
		Name: s.Name, About: s.About, MaxEvents: s.MaxEvents, NonBulk: s.NonBulk,
		FlushS: s.FlushInterval.Seconds(), UploadMs: durationMs(s.Upload), JitterMs: durationMs(s.Jitter), SinkMs: durationMs(s.SinkTime()),
		Hung: s.Hung, Events: max(s.Events, 1), Rounds: s.rounds(p), BoundS: s.bound(p).Seconds(), CloseMs: durationMs(s.closing()),
	}
	result.OutageS = r.Settings.RoundS * s.Outage
	if s.Hung { // who waits for it, waits until the end
		result.SinkMs = r.Settings.RoundS * 1000
	}
	for i, sample := range samples {
		result.Arms = append(result.Arms, ArmResult{
			Arm:        r.Arms[i].Name,
			Collect:    sample.latencies[collect].latency(),
			Evaluation: sample.latencies[evaluation].latency(),
			Check:      sample.latencies[check].latency(),
			Events:     sample.events,
			Accounts:   sample.accounts,
			Peak:       sample.peak,
			Stop:       sample.stop,
			Goroutines: sample.levels.of(r.Settings.RoundS),
			Trouble:    append([]string{}, sample.trouble...),
		})
	}
	r.Scenarios = append(r.Scenarios, result)
}

// result finds the figures of an arm in a scenario; nil if that was not run.
func (r *Report) result(scenario, arm string) (*ScenarioResult, *ArmResult) {
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		if s.Name != scenario {
			continue
		}
		for k := range s.Arms {
			if s.Arms[k].Arm == arm {
				return s, &s.Arms[k]
			}
		}
	}
	return nil, nil
}

func durationMs(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
