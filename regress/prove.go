package regress

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/offlock/offlock/patches"
)

// Options of [Prove]. The zero value drives every arm through every scenario at the default rate, from a clone in the
// working directory.
type Options struct {
	Dir       string         // in the clone; empty: the working directory
	Quick     bool           // a tenth of every duration
	Rate      float64        // requests a second to each endpoint; 0: [DefaultRate]
	Arms      []string       // names; none: all
	Scenarios []string       // names; none: all
	Progress  func(Progress) // called before every step, never concurrently; may be nil
}

// Progress is one step of a Prove call.
type Progress struct {
	Step, Total int    // Step counts from 1
	Text        string // what is about to be done, in a few words
}

const (
	// maxRate keeps the load itself from being what is measured.
	maxRate = 2000
	// otherFiles is more than a process here opens beside its connections.
	otherFiles = 200
)

// Errors of [Prove] that are the caller's to mend, beside [ErrNoClone] and [UnknownError].
var (
	ErrRate        = fmt.Errorf("the rate must be above 0 and at most %d requests a second", maxRate)
	ErrFileLimit   = errors.New("too many requests may be outstanding at once: lower the rate, or raise the limit (ulimit -n)")
	ErrUnsupported = errors.New("this system has no SIGTERM, which the runs end with: prove works on Unix")
)

// builtArm is an arm and its binary.
type builtArm struct {
	Arm
	binary  string
	patches []string // that the binary proved to hold
}

// Prove builds the service on each arm, drives them through the scenarios and judges the promises.
//
// It returns an error when no complete set of figures came together; a promise that does not hold is no error, see
// [Report.Failed]. Whatever it returns, its processes have ended and its temporary folder is gone.
func Prove(ctx context.Context, o Options) (report *Report, err error) {
	p, err := newPlan(o)
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "offlock-prove-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if ctx.Err() != nil { // what a killed process said on its way out explains nothing
			report, err = nil, fmt.Errorf("interrupted: %w", ctx.Err())
		}
		err = errors.Join(err, os.RemoveAll(temp))
	}()
	steps := &stepper{tell: o.Progress, total: 1 + len(p.arms) + p.pace.rounds*len(p.scenarios)*len(p.arms)}

	// Build everything before anything runs: a compiler beside a run would be part of the figures.
	companion, arms, err := p.build(ctx, temp, steps)
	if err != nil {
		return nil, err
	}
	files := filepath.Join(temp, "run")
	if err := os.Mkdir(files, 0o755); err != nil {
		return nil, err
	}
	sink, err := startSink(ctx, companion, []string{"TMPDIR=" + files})
	if err != nil {
		return nil, err
	}
	defer sink.close()

	report = newReport(o.Quick, p.pace, arms)
	b := &bench{sink: sink, pace: p.pace, temp: files, arrivals: p.arrivals}
	samples, err := b.all(ctx, arms, p.scenarios, steps)
	if err != nil {
		return nil, err
	}
	for i, s := range p.scenarios {
		report.add(s, samples[i])
	}
	report.judge()
	return report, nil
}

// plan is what the options ask for, checked.
type plan struct {
	root      string // of the clone
	series    *patches.Series
	arms      []Arm
	scenarios []Scenario
	pace      pace
	arrivals  []arrival
}

func newPlan(o Options) (*plan, error) {
	if !supported {
		return nil, ErrUnsupported
	}
	if o.Rate == 0 {
		o.Rate = DefaultRate
	}
	if !(o.Rate > 0 && o.Rate <= maxRate) { // also refuses NaN
		return nil, ErrRate
	}
	p := &plan{pace: newPace(o.Quick, o.Rate)}
	var err error
	if p.arms, err = pick("arm", Arms(), func(a Arm) string { return a.Name }, o.Arms); err != nil {
		return nil, err
	}
	if p.scenarios, err = pick("scenario", Scenarios(), func(s Scenario) string { return s.Name }, o.Scenarios); err != nil {
		return nil, err
	}
	if o.Quick {
		for i := range p.scenarios {
			p.scenarios[i] = p.scenarios[i].scaled(quickFactor)
		}
	}
	p.arrivals = schedule(p.pace.rate, p.pace.warmup, p.pace.length)
	if err := checkFileLimit(len(p.arrivals)); err != nil {
		return nil, err
	}
	if p.root, err = FindRoot(o.Dir); err != nil {
		return nil, err
	}
	p.series, err = patches.Embedded()
	return p, err
}

// build builds the companion and the service on every arm, below temp.
func (p *plan) build(ctx context.Context, temp string, steps *stepper) (companion string, arms []builtArm, err error) {
	b := &builder{service: filepath.Join(p.root, "examples", "evalapi"), temp: temp, series: p.series}
	steps.next("building the companion (Redis and S3)")
	if companion, err = b.companion(ctx); err != nil {
		return "", nil, err
	}
	for _, arm := range p.arms {
		steps.next("building the service on %s", arm.Name)
		built, err := b.arm(ctx, arm)
		if err != nil {
			return "", nil, err
		}
		arms = append(arms, built)
	}
	return companion, arms, checkShared(arms)
}

// all drives every arm through every scenario; sample [i][k] is of scenario i and arm k. Rounds are the outermost, so that
// the yardstick is measured beside what is held against it; within a scenario the arms take turns, and who begins rotates.
func (b *bench) all(ctx context.Context, arms []builtArm, scenarios []Scenario, steps *stepper) ([][]*sample, error) {
	samples := make([][]*sample, len(scenarios))
	for i := range samples {
		for range arms {
			samples[i] = append(samples[i], newSample(b.pace))
		}
	}
	for round := range b.pace.rounds {
		for i, s := range scenarios {
			for turn := range arms {
				k := (turn + i + round) % len(arms)
				steps.next("%s: %s for %s (round %d of %d)", s.Name, arms[k].Name, b.pace.length.Round(time.Millisecond), round+1, b.pace.rounds)
				sample, err := b.run(ctx, arms[k], s)
				if err != nil {
					return nil, fmt.Errorf("%s on %s: %w", s.Name, arms[k].Name, err)
				}
				samples[i][k].merge(sample)
			}
		}
	}
	return samples, nil
}

// stepper counts the steps of a Prove call.
type stepper struct {
	tell        func(Progress)
	step, total int
}

func (s *stepper) next(format string, args ...any) {
	s.step++
	if s.tell != nil {
		s.tell(Progress{Step: s.step, Total: s.total, Text: fmt.Sprintf(format, args...)})
	}
}

// checkFileLimit makes sure that every request of a run may be outstanding at once: a connection that cannot be opened
// would look like a fault of the service.
func checkFileLimit(requests int) error {
	limit, err := fileLimit()
	if err != nil {
		return err
	}
	if need := uint64(requests) + otherFiles; need > limit {
		return fmt.Errorf("%w: a run needs up to %d open files, the limit is %d", ErrFileLimit, need, limit)
	}
	return nil
}
