package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/spf13/cobra"

	"github.com/offlock/offlock/regress"
	"github.com/offlock/offlock/regress/bench"
)

func newBenchCommand(a *app) *cobra.Command {
	var (
		o       bench.Options
		layout  bench.Layout
		out     string
		earlier []string
	)
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure what AddEvent costs, on upstream's releases, on the fork and beside other queues and SDKs",
		Long: `bench builds the benchmarks of the folder bench once on each library (v1.52.1, v1.55.2 and the
fork of v1.55.2; other SDKs and queues are an arm of their own, named peers), runs them in rounds,
in each of which every benchmark runs once on every library, in random order, and compares the
medians. With --out it also writes a plain benchmark file, which benchstat reads:
benchstat -col arm FILE.

With --compare it runs nothing and compares what earlier runs, or go test -bench, wrote:
offlock bench --compare OLD.txt NEW.txt --col .file.

It works in a clone of the project and leaves nothing behind. A run of all benchmarks takes long;
--arm, --bench and --count make it shorter.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 && len(earlier) == 0 {
				return fmt.Errorf("bench takes no arguments but the files after --compare, and got %q", args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(earlier) > 0 {
				return a.compareFiles(cmd, append(earlier, args...), layout)
			}
			if !cmd.Flags().Changed("seed") {
				o.Seed = rand.Uint64N(1e6) // short enough to be typed again
			}
			return a.measure(cmd, o, out, layout)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&o.Arms, "arm", nil, "only these arms (`NAME`,…)")
	flags.StringVar(&o.Bench, "bench", ".", "only the benchmarks that match `REGEXP`, as go test -bench takes it")
	flags.IntVar(&o.Count, "count", bench.DefaultCount, "rounds")
	flags.StringVar(&o.Time, "benchtime", bench.DefaultTime, "time or iterations (`100x`) of each benchmark in a round")
	flags.StringVar(&o.CPU, "cpu", "", "values of GOMAXPROCS to run each benchmark with (`N`,…)")
	flags.Uint64Var(&o.Seed, "seed", 0, "repeat the order of a run with this seed; else a new one, which is printed")
	flags.StringVar(&out, "out", "", "also write the results to `FILE`")
	flags.StringSliceVar(&earlier, "compare", nil, "run nothing and compare the results in `FILE`…")
	flags.StringVar(&layout.Column, "col", "", "the `KEY` that makes the columns, as benchstat -col takes it; else the arms")
	flags.StringVar(&layout.Base, "base", "", "the `COLUMN` that ratios refer to; else v1.55.2, or the first")
	return cmd
}

// measure runs the benchmarks, keeps the results of complete rounds in the file, whatever happens after them, and prints
// the comparison if all came together.
func (a *app) measure(cmd *cobra.Command, o bench.Options, out string, layout bench.Layout) error {
	if err := layout.Check(); err != nil { // before a long run, not after it
		return err
	}
	var (
		results bytes.Buffer
		kept    io.Writer = &results
		file    *pendingFile
	)
	if out != "" {
		var err error
		if file, err = createPending(out); err != nil {
			return err
		}
		defer file.discard()
		kept = io.MultiWriter(&results, file)
	}
	progress := progressLine{a.streams}
	o.Progress = func(p regress.Progress) { progress.show(fmt.Sprintf("[%d/%d] %s", p.Step, p.Total, p.Text)) }
	a.messagef("the order of the rounds follows from --seed %d", o.Seed)
	err := bench.Run(cmd.Context(), o, kept)
	progress.clear()
	if file != nil && results.Len() > 0 {
		if keepErr := file.keep(); keepErr != nil {
			return errors.Join(err, keepErr)
		}
		if err != nil {
			a.messagef("the rounds that were complete are in %s", out)
		}
	}
	if err != nil {
		return benchError(err)
	}
	read, err := bench.Read(&results, "results")
	if err != nil {
		return err
	}
	err = a.compare(read, layout)
	if option := (*bench.OptionError)(nil); errors.As(err, &option) { // what was measured is worth more than the mistake
		a.messagef("%v; so the ratios refer to the usual base", err)
		layout.Base = ""
		err = a.compare(read, layout)
	}
	return err
}

func (a *app) compareFiles(cmd *cobra.Command, files []string, layout bench.Layout) error {
	for _, name := range []string{"arm", "bench", "count", "benchtime", "cpu", "seed", "out"} {
		if cmd.Flags().Changed(name) {
			return &exitError{exitUse, fmt.Errorf("--%s is for a run, and --compare runs nothing", name)}
		}
	}
	read, err := bench.ReadFiles(files...)
	if err != nil {
		return benchError(err)
	}
	return a.compare(read, layout)
}

func (a *app) compare(results *bench.Results, layout bench.Layout) error {
	comparison, err := results.Compare(layout)
	if err != nil {
		return err
	}
	if a.json {
		return writeJSON(a.out, comparison)
	}
	return comparison.WriteText(a.out)
}

// benchError gives wrong use its exit code; all else is the machine's, or the benchmarks'.
func benchError(err error) error {
	var (
		unknown *regress.UnknownError
		option  *bench.OptionError
	)
	if errors.As(err, &unknown) || errors.As(err, &option) || errors.Is(err, regress.ErrNoClone) ||
		errors.Is(err, bench.ErrNoBenchmark) || errors.Is(err, bench.ErrNotResults) {
		return &exitError{exitUse, err}
	}
	return &exitError{exitIO, err}
}
