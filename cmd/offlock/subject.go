package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/offlock/offlock/internal/adopt"
	"github.com/offlock/offlock/internal/modtree"
	"github.com/offlock/offlock/patches"
)

// subject is the version that a command is about.
type subject struct {
	version   string
	pins      modtree.Hashes    // what the service records of it; empty outside of one
	selection patches.Selection // of the fork in the service
	inService bool
	dir       string        // of the fork
	lock      *modtree.Lock // nil: not adopted
}

// findSubject takes the version that the service in the current folder selects, or the newest recorded one where there is no
// such service. base, if not empty, decides instead.
func findSubject(ctx context.Context, series *patches.Series, base string) (*subject, error) {
	s := &subject{version: base}
	service, err := adopt.Open(ctx, ".")
	switch {
	case errors.Is(err, adopt.ErrNoModule):
		return s, s.newest(series)
	case err != nil:
		return nil, err
	}
	if s.dir, s.lock, err = service.Adopted(""); err != nil {
		return nil, err
	}
	if base == "" {
		selected, err := service.Selected(ctx)
		if errors.Is(err, adopt.ErrNotRequired) {
			return s, s.newest(series)
		}
		if err != nil {
			return nil, err
		}
		s.version = selected.Version
	}
	s.inService = true
	if s.lock != nil && s.lock.Base == s.version {
		s.selection = patches.Selection{Only: s.lock.Only, Without: s.lock.Without}
	}
	s.pins, err = service.Pins(s.version, s.lock)
	return s, err
}

func (s *subject) newest(series *patches.Series) error {
	if s.version != "" {
		return nil
	}
	bases := series.Bases()
	if len(bases) == 0 {
		return fmt.Errorf("no base is recorded in this offlock: name a version with --base in a service that requires it")
	}
	s.version = bases[len(bases)-1].Version
	return nil
}
