package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/offlock/offlock/regress"
)

func newProveCommand(a *app) *cobra.Command {
	var (
		o    regress.Options
		html string
	)
	cmd := &cobra.Command{
		Use:   "prove",
		Short: "Measure on a real service whether AddEvent waits, on upstream's releases and on the fork",
		Long: `prove builds the service of examples/evalapi on four libraries (v1.52.1, v1.52.1 with the
split lock, v1.55.2, and the fork of v1.55.2), drives each, and v1.55.2 with this module's
exporters too, through scenarios in which the sink of the events is slow, fails or hangs, with
requests that arrive on a schedule whatever happens. It prints latencies, lost, dropped and
repeated events, goroutines and memory, and a verdict a promise.

It works in a clone of the project, needs no server, and leaves nothing behind. A full run
takes about a quarter of an hour, a quick one about a minute and a half; builds come on top.

Exit code 1: a promise that the README claims was seen broken.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var page *pendingFile
			if html != "" {
				var err error
				if page, err = createPending(html); err != nil {
					return err
				}
				defer page.discard()
			}
			progress := progressLine{a.streams}
			o.Progress = func(p regress.Progress) { progress.show(fmt.Sprintf("[%d/%d] %s", p.Step, p.Total, p.Text)) }
			report, err := regress.Prove(cmd.Context(), o)
			progress.clear()
			if err != nil {
				return proveError(err)
			}
			if page != nil {
				if err := report.WriteHTML(page); err != nil {
					return err
				}
				if err := page.keep(); err != nil {
					return err
				}
			}
			if a.json {
				err = writeJSON(a.out, report)
			} else {
				err = report.WriteTable(a.out)
			}
			if err == nil && report.Failed() {
				return &exitError{exitCheck, nil} // the verdicts have said it
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&o.Quick, "quick", false, "a tenth of every duration: quicker, and less certain")
	cmd.Flags().StringSliceVar(&o.Scenarios, "scenario", nil, "only these scenarios (`NAME`,…)")
	cmd.Flags().StringSliceVar(&o.Arms, "arm", nil, "only these libraries (`NAME`,…)")
	cmd.Flags().Float64Var(&o.Rate, "rate", regress.DefaultRate, "requests a second to each of three endpoints")
	cmd.Flags().StringVar(&html, "html", "", "also write a page with curves and timelines to `FILE`")
	return cmd
}

// proveError gives wrong use its exit code; all else is the machine's, or the arms'.
func proveError(err error) error {
	var unknown *regress.UnknownError
	if errors.As(err, &unknown) || errors.Is(err, regress.ErrNoClone) || errors.Is(err, regress.ErrRate) ||
		errors.Is(err, regress.ErrFileLimit) || errors.Is(err, regress.ErrUnsupported) {
		return &exitError{exitUse, err}
	}
	return &exitError{exitIO, err}
}

// progressLine shows steps: on a terminal in one line that it writes over, else one line a step.
type progressLine struct{ streams }

const clearLine = "\r\x1b[K"

func (p progressLine) show(text string) {
	if p.terminal {
		fmt.Fprint(p.err, clearLine+text)
	} else {
		fmt.Fprintln(p.err, text)
	}
}

func (p progressLine) clear() {
	if p.terminal {
		fmt.Fprint(p.err, clearLine)
	}
}

// pendingFile is written beside its place and takes it when it is whole. Creating it early shows before a long run that
// it can be written.
type pendingFile struct {
	*os.File
	path string
}

func createPending(path string) (*pendingFile, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return nil, err
	}
	return &pendingFile{f, path}, nil
}

// keep puts the file in its place.
func (f *pendingFile) keep() error {
	if err := errors.Join(f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), f.path)
}

// discard removes what was not kept.
func (f *pendingFile) discard() {
	_ = f.Close()
	_ = os.Remove(f.Name()) // gone already, if it was kept
}
