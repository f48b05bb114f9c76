package fork_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/offlock/offlock/internal/fork"
	"github.com/offlock/offlock/internal/modtree"
	"github.com/offlock/offlock/internal/modtree/modtreetest"
	"github.com/offlock/offlock/patches"
)

const (
	recorded   = "v1.55.2" // the release that the example series was recorded on
	unrecorded = "v1.55.3"

	recordedCommit = "0123456789abcdef0123456789abcdef01234567"

	wrongSum = "h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
)

// world is a proxy with a few made-up releases, a module cache, and a series recorded on one of them.
type world struct {
	proxy  string
	base   *modtree.Base
	series *patches.Series
	sums   map[string]modtree.Hashes
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{proxy: t.TempDir(), sums: make(map[string]modtree.Hashes)}
	var err error
	if w.base, err = modtreetest.SmallBase(t.TempDir(), recorded); err != nil {
		t.Fatal(err)
	}
	w.release(t, recorded, nil)
	t.Setenv("GOPROXY", modtreetest.URL(w.proxy))
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw")

	files := fstest.MapFS{
		"0001-rename/PATCH.md": {Data: []byte("---\nTitle: fix: another name\nKind: fix\nFor: all\n---\nWhy.\n")},
		"0001-rename/exporter/exporter.go": {Data: []byte(
			"//go:build ignore\n\npackage exporter\n\n// Name is another one.\nconst Name = \"other\"\n")},
		"0002-more/PATCH.md":          {Data: []byte("---\nTitle: feat: more\nKind: feat\nFor: all\n---\nWhy.\n")},
		"0002-more/exporter/extra.go": {Data: []byte("//go:build ignore\n\npackage exporter\n\n// More is more.\nconst More = 1\n")},
	}
	record, err := load(t, files).Record(recorded, w.base.FS())
	if err != nil {
		t.Fatal(err)
	}
	record.Sum, record.GoModSum = w.sums[recorded].Sum, w.sums[recorded].GoModSum
	record.Commit = recordedCommit
	text, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	files["bases/"+recorded+".json"] = &fstest.MapFile{Data: text}
	w.series = load(t, files)
	return w
}

func load(t *testing.T, files fs.FS) *patches.Series {
	t.Helper()
	series, err := patches.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	return series
}

// release makes the proxy serve a release that differs from the base by some edits.
func (w *world) release(t *testing.T, version string, edits map[string][]byte) {
	t.Helper()
	sums, err := modtreetest.WriteProxy(w.proxy, w.base, version, edits)
	if err != nil {
		t.Fatal(err)
	}
	w.sums[version] = sums
}

var upstreamRenamed = map[string][]byte{
	"exporter/exporter.go": []byte("// Package exporter is small too.\npackage exporter\n\n// Name is its name.\nconst Name = \"smaller\"\n"),
}

func TestBuild(t *testing.T) {
	w := newWorld(t)
	// What is recorded here wins over the service's go.sum.
	f, err := fork.Build(t.Context(), w.series, recorded, modtree.Hashes{Sum: wrongSum}, patches.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	if f.Base.Version != recorded || !f.Result.Tested {
		t.Errorf("base %s, tested %t", f.Base.Version, f.Result.Tested)
	}
	if diff := cmp.Diff([]string{"0001-rename", "0002-more"}, f.Tree.Marker.Patches); diff != "" {
		t.Errorf("patches in the marker (-want +got):\n%s", diff)
	}
	for path, words := range map[string]string{
		"exporter/exporter.go": `"other"`,
		"exporter/extra.go":    "More = 1",
		"OFFLOCK.md":           "fix: another name\n\n- exporter/exporter.go\n",
	} {
		if content, _ := f.Tree.Content(path); !strings.Contains(string(content), words) {
			t.Errorf("%s lacks %q:\n%s", path, words, content)
		}
	}

	again, err := fork.Build(t.Context(), w.series, recorded, modtree.Hashes{}, patches.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	if again.Tree.Marker.Hash != f.Tree.Marker.Hash {
		t.Error("the same inputs make another fork")
	}
}

func TestBuildSelection(t *testing.T) {
	w := newWorld(t)
	f, err := fork.Build(t.Context(), w.series, recorded, modtree.Hashes{}, patches.Selection{Without: []string{"0001"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"0002-more"}, f.Tree.Marker.Patches); diff != "" {
		t.Errorf("patches in the marker (-want +got):\n%s", diff)
	}
	if notice, _ := f.Tree.Content("OFFLOCK.md"); strings.Contains(string(notice), "0001-rename") {
		t.Errorf("the notice names a patch that was left out:\n%s", notice)
	}
	var wrong *patches.SelectionError
	_, err = fork.Build(t.Context(), w.series, recorded, modtree.Hashes{}, patches.Selection{Only: []string{"0009"}})
	if !errors.As(err, &wrong) {
		t.Errorf("error %v, want a SelectionError", err)
	}
}

func TestBuildUnrecorded(t *testing.T) {
	w := newWorld(t)
	w.release(t, unrecorded, map[string][]byte{"flag.go": []byte("// Package flag changed.\npackage flag\n")})
	f, err := fork.Build(t.Context(), w.series, unrecorded, w.sums[unrecorded], patches.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	if f.Result.Tested || f.Tree.Marker.Base != unrecorded {
		t.Errorf("tested %t, base %s", f.Result.Tested, f.Tree.Marker.Base)
	}

	_, err = fork.Build(t.Context(), w.series, unrecorded, modtree.Hashes{}, patches.Selection{})
	if !errors.Is(err, modtree.ErrNoChecksum) {
		t.Errorf("without a go.sum line: error %v, want ErrNoChecksum", err)
	}
	var mismatch *modtree.ChecksumError
	_, err = fork.Build(t.Context(), w.series, unrecorded, modtree.Hashes{Sum: wrongSum}, patches.Selection{})
	if !errors.As(err, &mismatch) {
		t.Errorf("with another go.sum line: error %v, want a ChecksumError", err)
	}
	var failed *modtree.DownloadError
	_, err = fork.Build(t.Context(), w.series, "v1.99.0", modtree.Hashes{Sum: wrongSum}, patches.Selection{})
	if !errors.As(err, &failed) || !failed.NotFound {
		t.Errorf("a version that nobody serves: error %v, want a DownloadError", err)
	}
}

// Drift is shown as a diff against the recorded base, and reported without one where that base cannot be had.
func TestDrift(t *testing.T) {
	for _, served := range []bool{true, false} {
		w := newWorld(t)
		w.release(t, unrecorded, upstreamRenamed)
		if !served {
			zips, err := filepath.Glob(filepath.Join(w.proxy, "*", "*", "*", "@v", recorded+".*"))
			if err != nil || len(zips) == 0 {
				t.Fatalf("no files of %s: %v", recorded, err)
			}
			for _, path := range zips {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
		}
		var drift *patches.DriftError
		_, err := fork.Build(t.Context(), w.series, unrecorded, w.sums[unrecorded], patches.Selection{})
		if !errors.As(err, &drift) {
			t.Fatalf("Build: error %v, want a DriftError", err)
		}

		status, err := fork.Status(t.Context(), w.series, unrecorded, w.sums[unrecorded], patches.Selection{})
		if err != nil {
			t.Fatal(err)
		}
		if status.Tree != nil || len(status.Result.Reports) != 2 {
			t.Fatalf("status %+v", status)
		}
		report := status.Result.Reports[0]
		if report.State != patches.Drifted || len(report.Findings) == 0 {
			t.Fatalf("report %+v, want a drifted patch with findings", report)
		}
		diff := report.Findings[0].Diff
		if shown := strings.Contains(diff, `-const Name = "small"`) && strings.Contains(diff, `+const Name = "smaller"`); shown != served {
			t.Errorf("base served: %t; diff of what upstream changed:\n%s", served, diff)
		}
		if !served && diff != "" {
			t.Errorf("a diff without the recorded base:\n%s", diff)
		}
	}
}

func TestStatusUnpinned(t *testing.T) {
	w := newWorld(t)
	_, err := fork.Status(t.Context(), w.series, unrecorded, modtree.Hashes{}, patches.Selection{})
	if !errors.Is(err, modtree.ErrNoChecksum) {
		t.Errorf("error %v, want ErrNoChecksum", err)
	}
}
