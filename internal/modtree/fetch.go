package modtree

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/module"
)

// Fetch downloads a version of upstream with the go command, recomputes the hashes of zip, folder and go.mod, and
// compares them with each other and with want. The module cache, proxy and other settings of the user apply; the
// module in the current folder, its replace lines, go.work and -mod flags do not. All that it returns but the place of
// the folder follows from version and want; what a proxy tells beside the module is left out.
//
// Errors: [ErrNoChecksum] if want holds no Sum, [*ChecksumError] (nothing of the version may be used),
// [*DownloadError] (no such version, network, proxy or disk), or ctx's.
func Fetch(ctx context.Context, version string, want Hashes) (*Base, error) {
	if err := checkVersion(version); err != nil {
		return nil, err
	}
	if want.Sum == "" {
		return nil, fmt.Errorf("%s@%s: %w", UpstreamPath, version, ErrNoChecksum)
	}
	base, _, err := fetch(ctx, version, want)
	return base, err
}

// FetchUnpinned is Fetch for a version of which nothing is recorded yet: it is as trustworthy as the checksum database
// that the go command asks (GOSUMDB, GONOSUMDB), and its Commit as the proxy. It serves to record a base; whoever pins
// a version to its hashes has to make sure that the database was asked.
func FetchUnpinned(ctx context.Context, version string) (*Base, error) {
	if err := checkVersion(version); err != nil {
		return nil, err
	}
	base, d, err := fetch(ctx, version, Hashes{})
	if err == nil && d.Origin != nil && d.Origin.VCS == "git" {
		base.Commit = d.Origin.Hash
	}
	return base, err
}

func checkVersion(version string) error {
	err := module.Check(UpstreamPath, version)
	if err == nil && module.CanonicalVersion(version) != version {
		err = errors.New("a version has three numbers, as in v1.55.2")
	}
	if err != nil {
		return &DownloadError{Version: version, NotFound: true, Err: err}
	}
	return nil
}

func fetch(ctx context.Context, version string, want Hashes) (*Base, *download, error) {
	d, err := goModDownload(ctx, version, want.Sum != "")
	if err != nil {
		return nil, nil, err
	}
	got, err := d.verify(want)
	if err != nil {
		return nil, nil, err
	}
	return &Base{Version: version, Dir: d.Dir, Hashes: got}, d, nil
}
