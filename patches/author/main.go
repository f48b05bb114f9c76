// Author is the command of whoever writes a patch of the series. Run it from the root of this module:
//
//	go run ./patches/author fingerprint [-version V | -dir TREE] [-upto PATCH] FILE [DECLARATION]
//	go run ./patches/author apply       [-version V | -dir TREE] [-upto PATCH | -only LIST] [-dst TREE]
//	go run ./patches/author record      VERSION...
//
// Fingerprint lists the addresses that a patch can name: declarations, and the statements of functions. Apply puts the series
// on a release without asking whether it was recorded, lists what each patch changed, and writes the tree to a folder of its
// own to build and test there. Record writes bases/VERSION.json. docs/patches.md tells the whole story.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/offlock/offlock/patches"
)

var commands = map[string]func(ctx context.Context, args []string, stdout io.Writer) error{
	"fingerprint": fingerprint,
	"apply":       apply,
	"record":      record,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit code: 0 done, 1 failed, 2 wrong use.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 || commands[args[0]] == nil {
		fmt.Fprintln(stderr, "use: author fingerprint|apply|record; docs/patches.md has examples")
		return 2
	}
	err := commands[args[0]](ctx, args[1:], stdout)
	var use useError
	var selection *patches.SelectionError
	var help helpError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &help):
		fmt.Fprint(stdout, help.Error())
		return 0
	case errors.As(err, &use), errors.As(err, &selection):
		fmt.Fprintf(stderr, "author %s: %v\n", args[0], err)
		return 2
	}
	fmt.Fprintf(stderr, "author %s: %v\n", args[0], err)
	return 1
}

// parse reads the flags of a command. It prints nothing itself: errors are useError or, if help was asked for, helpError.
func parse(set *flag.FlagSet, args []string) error {
	var text strings.Builder
	set.SetOutput(&text)
	err := set.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return helpError(text.String())
	case err != nil:
		return useError(err.Error())
	}
	return nil
}

// helpError is the help text that was asked for.
type helpError string

func (e helpError) Error() string { return string(e) }

// useError is a mistake in the command line.
type useError string

func (e useError) Error() string { return string(e) }
