package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"github.com/offlock/offlock/internal/adopt"
	"github.com/offlock/offlock/internal/modtree"
	"github.com/offlock/offlock/patches"
)

func TestExitCode(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		want int
	}{
		{"nothing", nil, exitFine},
		{"check failed", &exitError{exitCheck, nil}, exitCheck},
		{"anything else", errors.New("no"), exitUse},
		{"no module", adopt.ErrNoModule, exitUse},
		{"edited", &modtree.EditedError{Dir: "x", Paths: []string{"y"}}, exitUse},
		{"drift", &patches.DriftError{Version: "v1.0.0"}, exitUse},
		{"go command, input", &adopt.GoError{Err: errors.New("x")}, exitUse},
		{"go command, network", &adopt.GoError{Err: errors.New("x"), Network: true}, exitIO},
		{"no such version", &modtree.DownloadError{NotFound: true, Err: errors.New("x")}, exitUse},
		{"no way to it", &modtree.DownloadError{Err: errors.New("x")}, exitIO},
		{"checksum", &modtree.ChecksumError{}, exitIO},
		{"disk", &fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}, exitIO},
		{"rename", &os.LinkError{Op: "rename", Err: fs.ErrPermission}, exitIO},
		{"interrupted", context.Canceled, exitIO},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := tc.err
			if err != nil {
				err = fmt.Errorf("while: %w", err)
			}
			if got := exitCode(err); got != tc.want {
				t.Errorf("exit code %d, want %d", got, tc.want)
			}
		})
	}
}
