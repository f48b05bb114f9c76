package rules

import (
	"encoding/json"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// lightest is the oldest upstream release whose users must be able to import this module without being moved.
const lightest = "github.com/thomaspoignant/go-feature-flag@v1.52.1"

// notThere lists what the root module requires although v1.52.1 does not, each with its reason. What a service builds that
// imports eventstore or exporter is marked below; all else is in the import graph of no library package.
var notThere = map[string]string{
	"github.com/HdrHistogram/hdrhistogram-go": "regress counts latencies with it",
	"github.com/aclements/go-moremath":        "what golang.org/x/perf computes with",
	"github.com/anishathalye/porcupine":       "tests alone: is a history of the store linearizable",
	"github.com/rogpeppe/go-internal":         "unified diffs that git applies, and the scripts that test the command",
	"go.uber.org/goleak":                      "tests alone",
	"pgregory.net/rapid":                      "tests alone: random operations on the store, and what fails shrunk",
	"golang.org/x/perf":                       "regress/bench reads and compares benchmark files with it",

	// In services that import a package of exporter.
	upstream:                           "whose exporters and events they are, at the oldest release that is supported",
	"github.com/blang/semver":          "imported by go-feature-flag",
	"github.com/parquet-go/parquet-go": "exporter/encode: the library's own Parquet writer is not maintained any more",
	"github.com/andybalholm/brotli":    "imported by parquet-go",
	"github.com/parquet-go/bitpack":    "imported by parquet-go",
	"github.com/parquet-go/jsonlite":   "imported by parquet-go",
	"github.com/twpayne/go-geom":       "imported by parquet-go",
	"github.com/gofrs/flock":           "exporter/spool: locks that end with their process, on every system",
}

// TestRequirementsAreLight compares the go directive and every requirement with v1.52.1's own go.mod.
func TestRequirementsAreLight(t *testing.T) {
	if testing.Short() {
		t.Skip("needs upstream's go.mod from the module proxy; run without -short")
	}
	ours := parseModFile(t, filepath.Join("..", "..", "go.mod"))
	theirs := parseModFile(t, downloadGoMod(t, lightest))

	if version.Compare("go"+ours.Go.Version, "go"+theirs.Go.Version) > 0 {
		t.Errorf("the go directive %s is above v1.52.1's %s", ours.Go.Version, theirs.Go.Version)
	}
	if len(ours.Replace) > 0 {
		t.Error("a replace line in the root go.mod breaks `go run github.com/offlock/offlock/cmd/offlock@VERSION`")
	}
	limit := map[string]string{}
	for _, r := range theirs.Require {
		limit[r.Mod.Path] = r.Mod.Version
	}
	for _, r := range ours.Require {
		most, there := limit[r.Mod.Path]
		switch {
		case !there && notThere[r.Mod.Path] == "":
			t.Errorf("%s is not required by v1.52.1: leave it out, or list it here with its reason", r.Mod.Path)
		case there && notThere[r.Mod.Path] != "":
			t.Errorf("%s is listed as an exception, but v1.52.1 requires it at %s", r.Mod.Path, most)
		case there && semver.Compare(r.Mod.Version, most) > 0:
			t.Errorf("%s %s is above v1.52.1's %s", r.Mod.Path, r.Mod.Version, most)
		}
	}
}

func parseModFile(t *testing.T, path string) *modfile.File {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := modfile.Parse(path, content, nil)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func downloadGoMod(t *testing.T, moduleVersion string) string {
	t.Helper()
	download := exec.Command("go", "mod", "download", "-json", moduleVersion)
	download.Dir = t.TempDir()
	out, err := download.Output()
	if err != nil {
		t.Fatalf("go mod download %s: %v\n%s", moduleVersion, err, out)
	}
	var got struct{ GoMod string }
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	return got.GoMod
}
