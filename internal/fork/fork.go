// Package fork ties patches and modtree: base + series = fork.
package fork

import (
	"context"
	"errors"
	"io/fs"

	"github.com/offlock/offlock/internal/modtree"
	"github.com/offlock/offlock/patches"
)

// Fork is a base with its patches applied, not yet written anywhere.
type Fork struct {
	Base   *modtree.Base
	Result *patches.Result
	Tree   *modtree.Tree // nil from Status
}

// Build fetches and verifies the base, applies the selection and builds the tree. goSum pins a version that has no base
// file (from the service's go.sum); it may be zero for one that has, whose recorded hashes win. The tree and the base's
// facts follow from series, version, selection and the module's content alone.
//
// Errors: those of modtree.Fetch (modtree.ErrNoChecksum if the version is pinned neither here nor there,
// [*modtree.ChecksumError], [*modtree.DownloadError]), and those of the series, [*patches.DriftError] among them.
func Build(ctx context.Context, series *patches.Series, version string, goSum modtree.Hashes, sel patches.Selection) (*Fork, error) {
	base, err := fetch(ctx, series, version, goSum)
	if err != nil {
		return nil, err
	}
	result, err := withSources(ctx, series, sel, func(opts patches.Options) (*patches.Result, error) {
		return series.Apply(version, base.FS(), opts)
	})
	if err != nil {
		return nil, err
	}
	tree, err := modtree.NewTree(base, described(result), result.Files)
	if err != nil {
		return nil, err
	}
	return &Fork{base, result, tree}, nil
}

// Status is Build without refusing and without a tree: what each patch would do on the version.
func Status(ctx context.Context, series *patches.Series, version string, goSum modtree.Hashes, sel patches.Selection) (*Fork, error) {
	base, err := fetch(ctx, series, version, goSum)
	if err != nil {
		return nil, err
	}
	result, err := withSources(ctx, series, sel, func(opts patches.Options) (*patches.Result, error) {
		return series.Status(version, base.FS(), opts)
	})
	if err != nil {
		return nil, err
	}
	return &Fork{Base: base, Result: result}, nil
}

// fetch takes all that the fork depends on from the record, or from what the service pins: two users of one version get
// the same bytes, whatever their proxies tell beside the module.
func fetch(ctx context.Context, series *patches.Series, version string, goSum modtree.Hashes) (*modtree.Base, error) {
	recorded, ok := series.Base(version)
	if ok {
		goSum = modtree.Hashes{Sum: recorded.Sum, GoModSum: recorded.GoModSum}
	}
	base, err := modtree.Fetch(ctx, version, goSum)
	if ok && err == nil {
		base.Commit = recorded.Commit
	}
	return base, err
}

// withSources lets the series look at the bases that it was recorded on, to show what upstream changed since. One that
// cannot be downloaded costs the diff, not the report; one that is not what was recorded is an error like any other.
func withSources(ctx context.Context, series *patches.Series, sel patches.Selection,
	evaluate func(patches.Options) (*patches.Result, error),
) (*patches.Result, error) {
	fetched := make(map[string]fs.FS) // several patches may ask for the same one
	opts := patches.Options{Selection: sel, Source: func(version string) (fs.FS, error) {
		if fetched[version] == nil {
			base, err := fetch(ctx, series, version, modtree.Hashes{})
			if err != nil {
				return nil, err
			}
			fetched[version] = base.FS()
		}
		return fetched[version], nil
	}}
	result, err := evaluate(opts)
	if missing := (*modtree.DownloadError)(nil); errors.As(err, &missing) {
		opts.Source = nil
		return evaluate(opts)
	}
	return result, err
}

// described lists the patches that are part of the result, for the notice in the fork.
func described(result *patches.Result) []modtree.Patch {
	var all []modtree.Patch
	for _, report := range result.Reports {
		if !report.State.Applies() {
			continue
		}
		p := modtree.Patch{Name: report.Patch.Name, Title: report.Patch.Title}
		for _, change := range report.Changes {
			p.Files = append(p.Files, change.Path)
		}
		all = append(all, p)
	}
	return all
}
