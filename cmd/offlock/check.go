package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/offlock/offlock/internal/adopt"
	"github.com/offlock/offlock/internal/modtree"
	"github.com/offlock/offlock/patches"
)

func newCheckCommand(a *app) *cobra.Command {
	var dir, binary string
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Fail unless builds of this service really use the fork (for CI)",
		Long: `check fails, and says why, when the replace line is missing, the build selects another
go-feature-flag than the fork was made from, the folder was edited or is missing, a patch is
missing that this offlock has for it, or a vendor folder does not hold the fork.
It also fails when the go command cannot load the service's packages. It needs no sources of
upstream, and no network where the service's dependencies are at hand.

With --binary it reads the marker of a built program instead, stripped or not, and compares it
with the service's lock file if there is one.

It warns, without failing, of replace lines in go-feature-flag's own go.mod that do not reach
this service though it builds the module, and of Dockerfiles that do not copy the fork.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			service, err := adopt.Open(cmd.Context(), ".")
			if cmd.Flags().Changed("binary") { // an empty name is a mistake, not a wish to check the service
				return a.checkBinary(service, err, dir, binary)
			}
			if err != nil {
				return err
			}
			checked, err := service.Check(cmd.Context(), dir)
			if err != nil {
				return err
			}
			if err := checkPatches(checked); err != nil {
				return err
			}
			return a.reportChecked(checked)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "look for the fork in `FOLDER` (default: where the replace line points)")
	cmd.Flags().StringVar(&binary, "binary", "", "read the marker of the built program `FILE`")
	return cmd
}

// checkPatches compares the patches of the fork with those that this offlock would put in. For a version that is not
// recorded that cannot be told without its sources.
func checkPatches(c *adopt.Checked) error {
	if c.Lock == nil {
		return nil
	}
	series, err := patches.Embedded()
	if err != nil {
		return err
	}
	var unknown []string
	for _, name := range c.Patches {
		if _, err := series.Find(name); err != nil {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("the fork has patches that this offlock does not know (%s): it was made by %s",
			strings.Join(unknown, ", "), c.Lock.Tool))
	}
	if _, recorded := series.Base(c.Base); !recorded {
		return nil
	}
	wanted, err := series.Selected(c.Base, patches.Selection{Only: c.Lock.Only, Without: c.Lock.Without})
	var selection *patches.SelectionError
	if errors.As(err, &selection) {
		c.Add(adopt.PatchMissing, "the selection in the lock file cannot be met by this offlock: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	var missing []string
	for _, name := range wanted {
		if !slices.Contains(c.Patches, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		c.Add(adopt.PatchMissing, "the fork lacks %s: run offlock apply, with --without if that is meant", strings.Join(missing, ", "))
	}
	return nil
}

// checkedJSON is what check prints with --json.
type checkedJSON struct {
	OK bool `json:"ok"`
	*adopt.Checked
}

func (a *app) reportChecked(c *adopt.Checked) error {
	ok := len(c.Problems) == 0
	var failed error
	if !ok {
		failed = &exitError{exitCheck, nil}
	}
	if a.json {
		if err := writeJSON(a.out, checkedJSON{ok, c}); err != nil {
			return err
		}
		return failed
	}
	for _, u := range c.Unreached {
		a.messagef("warning: go-feature-flag is tested with %q, which does not reach this service: it builds %s %s. To take it over:\n\t%s",
			u.Line, u.Path, u.Version, u.Command)
	}
	for _, n := range c.Dockerfiles {
		a.messagef("warning: %s", n.Text)
	}
	for _, w := range c.Warnings {
		a.messagef("warning: %s", w)
	}
	for _, p := range c.Problems {
		fmt.Fprintf(a.out, "%s: %s\n", p.Kind, p.Text)
	}
	if ok {
		fmt.Fprintf(a.out, "ok: builds use the fork of go-feature-flag %s in %s, with %s\n", c.Base, c.Dir, counted(c.Patches))
	}
	return failed
}

// binaryJSON is what check --binary prints with --json.
type binaryJSON struct {
	OK       bool            `json:"ok"`
	Binary   string          `json:"binary"`
	Marker   *modtree.Marker `json:"marker"` // null: none to believe
	Problems []adopt.Problem `json:"problems"`
}

// checkBinary works outside of a service too: then there is no lock to compare with.
func (a *app) checkBinary(service *adopt.Service, openErr error, dir, binary string) error {
	var lock *modtree.Lock
	switch {
	case openErr == nil:
		var err error
		if _, lock, err = service.Adopted(dir); err != nil {
			return err
		}
	case !errors.Is(openErr, adopt.ErrNoModule):
		return openErr
	}
	marker, problem, err := adopt.CheckBinary(binary, lock)
	if err != nil {
		return &exitError{exitUse, err}
	}
	out := binaryJSON{OK: problem == nil, Binary: binary, Marker: marker, Problems: []adopt.Problem{}}
	var failed error
	if problem != nil {
		out.Problems = append(out.Problems, *problem)
		failed = &exitError{exitCheck, nil}
	}
	switch {
	case a.json:
		if err := writeJSON(a.out, out); err != nil {
			return err
		}
	case problem != nil:
		fmt.Fprintf(a.out, "%s: %s\n", problem.Kind, problem.Text)
	default:
		fmt.Fprintf(a.out, "ok: %s was built with the fork of go-feature-flag %s, with %s (%s)\n",
			binary, marker.Base, counted(marker.Patches), marker.Hash)
	}
	return failed
}
