// Package gocmd runs the user's go command.
package gocmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// waitDelay is how long a go command that was told to end, and what it started, may take. It is meant for the version
// control programs below it, which remove their lock files.
const waitDelay = 5 * time.Second

// Error is a go command that ran and failed.
type Error struct {
	Args   []string // as given
	Stderr string   // what it said, trimmed
	Err    error    // an *exec.ExitError most of the time
}

// Error is what the go command said, or how it ended if it said nothing.
func (e *Error) Error() string {
	said := e.Stderr
	if said == "" {
		said = e.Err.Error()
	}
	return fmt.Sprintf("go %s: %s", strings.Join(e.Args, " "), said)
}

func (e *Error) Unwrap() error { return e.Err }

// Run runs the go command in dir with env added to the environment (a later value wins), and returns what it printed,
// also if it failed. When ctx ends, the go command and, where the system has process groups, all that it started are
// told to end; Run returns when it has ended, at the latest some seconds later.
//
// Errors: the cause of ctx, wrapped; exec.ErrNotFound, wrapped, if there is no go command; [*Error].
func Run(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "PWD="+dir), env...)
	cmd.WaitDelay = waitDelay
	endTogether(cmd)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	switch {
	case err == nil:
		return stdout.Bytes(), nil
	case ctx.Err() != nil:
		return stdout.Bytes(), fmt.Errorf("go %s stopped: %w", strings.Join(args, " "), context.Cause(ctx))
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("the go command is not on the PATH, install Go or add it: %w", err)
	}
	return stdout.Bytes(), &Error{Args: args, Stderr: strings.TrimSpace(stderr.String()), Err: err}
}
