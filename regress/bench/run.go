package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/offlock/offlock/regress"
)

// Run builds the chosen arms, measures and writes the results to w, one Write a round. Nothing is written before the first
// round is complete.
//
// Errors: *[OptionError], *[regress.UnknownError], [regress.ErrNoClone] and [ErrNoBenchmark] are the caller's to mend; a build
// that fails names its arm and carries the compiler's words, a benchmark that fails its arm and its output; the end of ctx
// is wrapped. Whatever it returns, its processes have ended and its temporary folder is gone.
func Run(ctx context.Context, o Options, w io.Writer) (err error) {
	if o, err = o.checked(); err != nil {
		return err
	}
	arms, err := pick(o.Arms)
	if err != nil {
		return err
	}
	root, err := regress.FindRoot(o.Dir)
	if err != nil {
		return err
	}
	module := filepath.Join(root, "bench")
	lab, err := regress.NewLab(module)
	if err != nil {
		return err
	}
	defer func() {
		if ctx.Err() != nil { // what a killed process said on its way out explains nothing
			err = fmt.Errorf("interrupted: %w", ctx.Err())
		}
		err = errors.Join(err, lab.Close())
	}()

	m := &machine{lab: lab, module: module, options: o, steps: steps{tell: o.Progress}}
	for _, arm := range arms {
		m.steps.total += len(arm.Packages)
	}
	// Everything is built before anything runs: a compiler beside a benchmark would be part of the figures.
	var cells []cell
	for _, arm := range arms {
		for _, pkg := range arm.Packages {
			built, err := m.build(ctx, arm, pkg)
			if err != nil {
				return err
			}
			cells = append(cells, built...)
		}
	}
	r := &rounds{cells: cells, count: o.Count, seed: o.Seed, measure: m.measure, steps: &m.steps}
	return r.all(ctx, newFile(w, o))
}

// machine builds and runs the test binaries.
type machine struct {
	lab     *regress.Lab
	module  string // folder
	options Options
	steps   steps
}

// build builds the binary of one arm and package and returns a cell for each benchmark function in it.
func (m *machine) build(ctx context.Context, arm Arm, pkg string) ([]cell, error) {
	m.steps.next("building %s on %s", pkg, arm.Name)
	var (
		binary string
		err    error
	)
	if arm.Library != nil {
		binary, err = m.lab.BuildTest(ctx, *arm.Library, pkg)
	} else {
		binary, err = m.lab.BuildPlainTest(ctx, arm.Name, pkg)
	}
	if err != nil {
		return nil, err
	}
	listed, err := m.output(ctx, cell{arm: arm.Name, pkg: pkg, binary: binary, function: "list of benchmarks"}, "-test.list=^Benchmark")
	if err != nil {
		return nil, err
	}
	functions := strings.Fields(listed)
	var cells []cell
	for _, f := range functions {
		others := slices.DeleteFunc(slices.Clone(functions), func(other string) bool { return other == f })
		cells = append(cells, cell{arm: arm.Name, pkg: pkg, binary: binary, function: f, others: others})
	}
	return cells, nil
}

// measure runs the benchmarks of one function once and returns what they print.
func (m *machine) measure(ctx context.Context, c cell) (string, error) {
	args := []string{
		"-test.run=^$", "-test.bench=" + m.options.Bench, "-test.benchtime=" + m.options.Time,
		"-test.timeout=" + processBound.String(),
	}
	if len(c.others) > 0 { // so that the pattern may say anything, and may have parts for sub-benchmarks
		args = append(args, "-test.skip=^("+strings.Join(c.others, "|")+")$")
	}
	if m.options.CPU != "" {
		args = append(args, "-test.cpu="+m.options.CPU)
	}
	return m.output(ctx, c, args...)
}

// output runs a cell's binary in its package's folder, as the go command does, and returns its stdout.
func (m *machine) output(ctx context.Context, c cell, args ...string) (string, error) {
	cmd := m.lab.Command(ctx, c.binary, args...)
	cmd.Dir = filepath.Join(m.module, filepath.FromSlash(c.pkg))
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w; its output:\n%s", c, err, tail(out.String()+errs.String()))
	}
	return out.String(), nil
}

// tail is the end of an output, long enough for a panic and its first stacks.
func tail(output string) string {
	const enough = 8 << 10
	output = strings.TrimSpace(output)
	return output[max(0, len(output)-enough):]
}

// steps counts the steps of a Run call.
type steps struct {
	tell        func(regress.Progress)
	step, total int
}

func (s *steps) next(format string, args ...any) {
	s.step++
	if s.tell != nil {
		s.tell(regress.Progress{Step: s.step, Total: s.total, Text: fmt.Sprintf(format, args...)})
	}
}
