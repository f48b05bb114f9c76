package regress

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/offlock/offlock/patches"
)

// Options of [Prove]. The zero value drives every arm through every scenario at the default rate, from a clone in the
// working directory.
type Options struct {
	Dir       string         // in the clone; empty: the working directory
	Quick     bool           // a tenth of every duration, and one round
	Rate      float64        // requests a second to each endpoint; 0: [DefaultRate]
	Arms      []string       // names; none: all
	Scenarios []string       // names; none: all
	Progress  func(Progress) // called before every step, never concurrently; may be nil
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
	if p.arms, err = pick("arm", serviceArms(), func(a Arm) string { return a.Name }, o.Arms); err != nil {
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

// runs is how often a service is driven.
func (p *plan) runs() (n int) {
	for _, s := range p.scenarios {
		n += s.rounds(p.pace) * len(p.arms)
	}
	return n
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
		built := builtArm{Arm: arm}
		if i := slices.IndexFunc(arms, func(a builtArm) bool { return a.sameBinary(arm) }); i >= 0 {
			built.binary, built.patches = arms[i].binary, arms[i].patches
		} else if built, err = b.arm(ctx, arm); err != nil {
			return "", nil, err
		}
		arms = append(arms, built)
	}
	return companion, arms, checkShared(arms)
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
