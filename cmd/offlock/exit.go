package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/offlock/offlock/internal/adopt"
	"github.com/offlock/offlock/internal/modtree"
)

// The exit codes. "go run" turns every one but 0 into 1.
const (
	exitFine  = 0
	exitCheck = 1 // a check failed: the reason is part of the result
	exitUse   = 2 // wrong use or input
	exitIO    = 3 // network or disk, or the run was interrupted
)

const exitCodesHelp = `Exit codes: 0 fine, 1 a check failed, 2 wrong use or input, 3 network or disk.
("go run" itself turns every failure into 1; build or install the command where the difference matters.)`

// exitError is an error with its exit code. A nil err means that all was said already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// exitCode maps an error to the exit code: network and disk are told from input by their types.
func exitCode(err error) int {
	var (
		exit     *exitError
		goErr    *adopt.GoError
		download *modtree.DownloadError
		checksum *modtree.ChecksumError
		path     *fs.PathError
		link     *os.LinkError
		syscall  *os.SyscallError
	)
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &goErr):
		if goErr.Network {
			return exitIO
		}
		return exitUse
	case errors.As(err, &download) && download.NotFound:
		return exitUse
	case errors.As(err, &download), errors.As(err, &checksum), errors.Is(err, context.Canceled),
		errors.As(err, &path), errors.As(err, &link), errors.As(err, &syscall):
		return exitIO
	}
	return exitUse
}

// writeJSON prints a result for scripts.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
