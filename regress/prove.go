package regress

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Prove builds the service on each arm, drives them through the scenarios and judges the promises.
//
// It returns an error when no complete set of figures came together; a promise that does not hold is no error, see
// [Report.Failed]. Whatever it returns, its processes have ended and its temporary folder is gone. If this process is killed,
// they end by themselves, and the next call removes the folder.
func Prove(ctx context.Context, o Options) (report *Report, err error) {
	p, err := newPlan(o)
	if err != nil {
		return nil, err
	}
	work, err := newWorkdir()
	if err != nil {
		return nil, err
	}
	defer func() {
		if ctx.Err() != nil { // what a killed process said on its way out explains nothing
			report, err = nil, fmt.Errorf("interrupted: %w", ctx.Err())
		}
		err = errors.Join(err, work.remove())
	}()
	steps := &stepper{tell: o.Progress, total: 1 + len(p.arms) + p.runs()}

	// Build everything before anything runs: a compiler beside a run would be part of the figures.
	companion, arms, err := p.build(ctx, work.path, steps)
	if err != nil {
		return nil, err
	}
	files := filepath.Join(work.path, "run")
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
		report.add(p.pace, s, samples[i])
	}
	report.judge()
	return report, nil
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
			if round >= s.rounds(b.pace) {
				continue
			}
			for turn := range arms {
				k := (turn + i + round) % len(arms)
				steps.next("%s: %s for %s (round %d of %d)", s.Name, arms[k].Name, b.pace.length.Round(time.Millisecond), round+1, s.rounds(b.pace))
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

// Progress is one step of a Prove call.
type Progress struct {
	Step, Total int    // Step counts from 1
	Text        string // what is about to be done, in a few words
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
