// Command offlock gives a service a fork of go-feature-flag in which AddEvent never waits for export I/O,
// checks that its builds really use it, and takes it back.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

func main() {
	os.Exit(run(os.Args[1:], streams{out: os.Stdout, err: os.Stderr, terminal: term.IsTerminal(int(os.Stderr.Fd()))}))
}

// streams are where a command writes. Results go to out, everything else to err.
type streams struct {
	out, err io.Writer
	terminal bool // err is a terminal: progress may be shown
}

// app is what every subcommand works with. Its fields are set before a subcommand runs.
type app struct {
	streams
	dir  string // -C: the working directory was changed to it, so paths need no treatment
	json bool   // --json
}

// progressf shows one line of progress, on a terminal only.
func (a *app) progressf(format string, args ...any) {
	if a.terminal {
		fmt.Fprintf(a.err, format+"\n", args...)
	}
}

// messagef tells the user something that is not the result.
func (a *app) messagef(format string, args ...any) {
	fmt.Fprintf(a.err, "offlock: "+format+"\n", args...)
}

// commands are the subcommands, in the order of the help text.
var commands = []func(*app) *cobra.Command{
	newApplyCommand, newCheckCommand, newRevertCommand, newDiffCommand, newStatusCommand, newProveCommand, newBenchCommand,
}

// run is main without the process around it; it returns the exit code.
func run(args []string, s streams) int {
	ctx, stop := signal.NotifyContext(context.Background(), endingSignals()...)
	defer stop()
	a := &app{streams: s}
	root := newRootCommand(a)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	switch {
	case errors.Is(err, context.Canceled):
		a.messagef("interrupted")
	case err != nil && err.Error() != "":
		a.messagef("%v", err)
	}
	return exitCode(err)
}

// endingSignals end a command, which undoes and clears away first. Under nohup a terminal that goes away ends nothing.
func endingSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

func newRootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "offlock",
		Short: "A go-feature-flag whose AddEvent never waits for export I/O",
		Long: `offlock writes a patched copy of go-feature-flag into a service, points the service's
go.mod at it with one replace line, checks that builds really use it, and takes it back.

` + exitCodesHelp,
		Version:       toolVersion(),
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if a.dir == "" {
				return nil
			}
			if err := os.Chdir(a.dir); err != nil {
				return &exitError{exitUse, err}
			}
			return nil
		},
	}
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.PersistentFlags().StringVarP(&a.dir, "chdir", "C", "", "change to `DIR` before anything else, as the go command does")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print the result as JSON")
	root.CompletionOptions.DisableDefaultCmd = true
	for _, command := range commands {
		root.AddCommand(command(a))
	}
	return root
}

// toolVersion is the version that this binary was built as, "(devel)" from a clone.
func toolVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
