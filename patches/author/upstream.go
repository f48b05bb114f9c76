package main

import (
	"context"
	"flag"
	"io/fs"
	"os"
	"strings"

	"github.com/offlock/offlock/internal/modtree"
	"github.com/offlock/offlock/patches"
)

// target is the tree that a command works on, with some of the series applied.
type target struct {
	version, dir, upto, only string

	series *patches.Series
	tree   fs.FS
}

func (t *target) flags(set *flag.FlagSet) {
	set.StringVar(&t.version, "version", "", "upstream `release`; by default the newest that is recorded")
	set.StringVar(&t.dir, "dir", "", "`folder` with that release's tree; by default it is downloaded")
	set.StringVar(&t.upto, "upto", "", "apply the patches up to and with this `patch`")
	set.StringVar(&t.only, "only", "", "apply these `patches` (a comma list) and what they need")
}

// open loads the series and opens the tree.
func (t *target) open(ctx context.Context) (err error) {
	if t.series, err = patches.Embedded(); err != nil {
		return err
	}
	if bases := t.series.Bases(); t.version == "" && len(bases) > 0 {
		t.version = bases[len(bases)-1].Version
	}
	if t.version == "" {
		return useError("no release is recorded yet; name one with -version")
	}
	if t.dir != "" {
		t.tree = os.DirFS(t.dir)
		return nil
	}
	base, err := modtree.FetchUnpinned(ctx, t.version)
	if err != nil {
		return err
	}
	t.tree = base.FS()
	return nil
}

// apply applies what the flags select; without flags, all that is for the release.
func (t *target) apply() (*patches.Result, error) {
	opts := patches.Options{Unrecorded: true}
	switch {
	case t.only != "" && t.upto != "":
		return nil, useError("-only and -upto exclude each other")
	case t.only != "":
		opts.Only = strings.Split(t.only, ",")
	case t.upto != "":
		last, err := t.series.Find(t.upto)
		if err != nil {
			return nil, err
		}
		for i := len(t.series.Patches) - 1; t.series.Patches[i] != last; i-- {
			opts.Without = append(opts.Without, t.series.Patches[i].Name)
		}
	}
	return t.series.Apply(t.version, t.tree, opts)
}
