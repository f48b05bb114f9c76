package modtree

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/offlock/offlock/internal/gocmd"
)

// DownloadError says that the go command could not bring a version here. Nothing was verified and nothing written.
type DownloadError struct {
	Version  string
	NotFound bool  // the version does not exist, as far as the proxy or repository knows
	Err      error // the go command's own words
}

func (e *DownloadError) Error() string {
	if e.NotFound {
		return fmt.Sprintf("%s has no version %q: %v; check how it is written", UpstreamPath, e.Version, e.Err)
	}
	return fmt.Sprintf("cannot download %s@%s: %v; check network, GOPROXY and disk space, then run this again",
		UpstreamPath, e.Version, e.Err)
}

func (e *DownloadError) Unwrap() error { return e.Err }

// download is what `go mod download -json` prints of one module.
type download struct {
	Version  string
	Error    string
	GoMod    string // file of the cache
	Zip      string // file of the cache
	Dir      string // folder of the cache
	Sum      string
	GoModSum string
	Origin   *struct{ VCS, Hash string }
}

// goModDownload runs the go command in a module of its own in a temporary folder, so that neither the current module
// nor one that surrounds the temporary folder has a say. The checksum database is asked only for what is not pinned:
// a pin is the stronger check, and holds for private proxies and without network as well.
func goModDownload(ctx context.Context, version string, pinned bool) (*download, error) {
	fail := func(err error) (*download, error) {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("download of %s@%s stopped: %w", UpstreamPath, version, context.Cause(ctx))
		}
		return nil, &DownloadError{Version: version, NotFound: saysNotFound(err.Error()), Err: err}
	}
	dir, err := os.MkdirTemp("", "offlock-download-")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(dir)
	// Go 1.21 is the lowest line that no toolchain in use finds too new.
	gomod := []byte("module offlock.invalid\n\ngo 1.21\n")
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), gomod, 0o644); err != nil {
		return fail(err)
	}
	env, err := goEnv(ctx, dir, pinned)
	if err != nil {
		return fail(err)
	}
	out, runErr := gocmd.Run(ctx, dir, env, "mod", "download", "-json", UpstreamPath+"@"+version)
	d := new(download)
	if err := json.Unmarshal(out, d); err != nil && runErr == nil {
		return fail(fmt.Errorf("go mod download -json printed something else: %w", err))
	}
	switch {
	case ctx.Err() != nil:
		return fail(ctx.Err())
	case d.Error != "":
		return fail(errors.New(strings.TrimPrefix(d.Error, UpstreamPath+"@"+version+": ")))
	case runErr != nil:
		return fail(runErr)
	case d.Dir == "" || d.Zip == "" || d.GoMod == "":
		return fail(errors.New("go mod download -json names no folder, zip or go.mod"))
	case d.Version != version:
		return fail(fmt.Errorf("the go command took %s for it", d.Version))
	}
	return d, nil
}

// goEnv is what to add to the user's environment so that nothing ties the go command to some other module.
func goEnv(ctx context.Context, dir string, pinned bool) ([]string, error) {
	// Settings may come from `go env -w` too, so the go command is asked rather than the environment.
	env := []string{"GOWORK=off", "GO111MODULE=on"}
	flags, err := gocmd.Run(ctx, dir, env, "env", "GOFLAGS")
	if err != nil {
		return nil, err
	}
	env = append(env, "GOFLAGS="+withoutModFlags(string(bytes.TrimSpace(flags))))
	if pinned {
		env = append(env, "GONOSUMDB="+UpstreamPath)
	}
	return env, nil
}

// withoutModFlags drops -mod, -modfile and -overlay from a GOFLAGS value: they are meant for the user's own module.
func withoutModFlags(goflags string) string {
	var kept []string
	for rest := strings.TrimSpace(goflags); rest != ""; rest = strings.TrimSpace(rest) {
		end := strings.IndexAny(rest, " \t\r\n")
		if quote := rest[0]; quote == '\'' || quote == '"' {
			if closing := strings.IndexByte(rest[1:], quote); closing >= 0 {
				end = closing + 2
			}
		}
		if end < 0 {
			end = len(rest)
		}
		name, _, _ := strings.Cut(strings.TrimLeft(rest[:end], `'"-`), "=")
		if name != "mod" && name != "modfile" && name != "overlay" {
			kept = append(kept, rest[:end])
		}
		rest = rest[end:]
	}
	return strings.Join(kept, " ")
}

// saysNotFound tells whether the go command's message is about the version rather than the way to it. The go command
// has no codes for this, so its words are compared; words that are not known count as trouble on the way.
func saysNotFound(message string) bool {
	for _, words := range []string{
		"404 Not Found", "410 Gone", // a proxy
		"unknown revision", "invalid version", "no matching versions", // a repository, the go command
		".info: no such file or directory", ".mod: no such file or directory", // a file:// proxy
		".info: The system cannot find the file", ".mod: The system cannot find the file", // on Windows
	} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
}
