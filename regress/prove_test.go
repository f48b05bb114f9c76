package regress

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The proof in small: the release that waits and the fork that does not, in the scenario that tells them apart.
func TestProve(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the service on upstream's sources, which -short leaves alone")
	}
	if !supported {
		t.Skip(ErrUnsupported)
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)

	var steps []Progress
	report, err := Prove(t.Context(), Options{
		Quick: true, Arms: []string{forkVersion, forkName}, Scenarios: []string{"threshold"},
		Progress: func(p Progress) { steps = append(steps, p) },
	})
	if err != nil {
		t.Fatal(err)
	}

	s, release := report.result("threshold", forkVersion)
	_, fork := report.result("threshold", forkName)
	if release == nil || fork == nil || len(report.Scenarios) != 1 || len(s.Arms) != 2 {
		t.Fatalf("scenarios %+v", report.Scenarios)
	}
	for _, a := range s.Arms {
		for _, l := range []Latency{a.Collect, a.Evaluation, a.Check} {
			if l.Requests == 0 || l.Failed > 0 || l.Unanswered > 0 {
				t.Errorf("%s: %+v", a.Arm, l)
			}
		}
		if e := a.Events; e.Accepted == 0 || e.Accepted != e.Stored+e.Lost || e.Puts == 0 {
			t.Errorf("%s: events %+v", a.Arm, e)
		}
		if a.Peak.Goroutines == 0 || a.Peak.MemoryMB == 0 || a.Peak.CPU == 0 || len(a.Goroutines) == 0 || len(a.Trouble) > 0 {
			t.Errorf("%s: peak %+v, trouble %q", a.Arm, a.Peak, a.Trouble)
		}
	}
	if release.Collect.P999 < s.SinkMs {
		t.Errorf("p99.9 of /collect on %s is %v ms: less than the sink's %v ms", forkVersion, release.Collect.P999, s.SinkMs)
	}
	if fork.Collect.P50 > release.Collect.P50/2 {
		t.Errorf("p50 of /collect is %v ms on the fork, %v ms on %s", fork.Collect.P50, release.Collect.P50, forkVersion)
	}
	if e := fork.Events; e.Lost > 0 || e.Repeated > 0 {
		t.Errorf("events on the fork: %+v", e)
	}
	if !fork.Stop.Clean || fork.Stop.CloseMs == 0 {
		t.Errorf("stop of the fork: %+v", fork.Stop)
	}
	counts := slices.ContainsFunc(report.Arms[1].Patches, func(p string) bool { return strings.HasPrefix(p, countsPatch) })
	if s3 := fork.account(s3Exporter); len(release.Accounts) > 0 || (s3 != nil) != counts {
		t.Errorf("%s counts %+v, the fork with %q counts %+v", forkVersion, release.Accounts, report.Arms[1].Patches, fork.Accounts)
	} else if counts && (s3.Added != fork.Events.Accepted || s3.Exported != fork.Events.Stored) {
		t.Errorf("the fork counts %+v of %+v", *s3, fork.Events)
	}
	if len(report.Arms[0].Patches) != 0 || len(report.Arms[1].Patches) == 0 {
		t.Errorf("arms %+v", report.Arms)
	}
	if len(steps) != 5 || steps[4].Step != 5 || steps[4].Total != 5 {
		t.Errorf("steps %+v", steps)
	}
	checkEmpty(t, temp)
}

func checkEmpty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range left {
		t.Errorf("%s was left behind", filepath.Join(dir, entry.Name()))
	}
}

func TestProveRefuses(t *testing.T) {
	if !supported {
		t.Skip(ErrUnsupported)
	}
	for name, test := range map[string]struct {
		options Options
		want    error
	}{
		"outside a clone": {Options{Dir: t.TempDir()}, ErrNoClone},
		"no rate":         {Options{Rate: -1}, ErrRate},
		"too high a rate": {Options{Rate: maxRate + 1}, ErrRate},
		"more than files": {Options{Rate: maxRate, Dir: t.TempDir()}, refusedByFiles(t)},
		"not a rate":      {Options{Rate: math.NaN()}, ErrRate},
	} {
		if _, err := Prove(t.Context(), test.options); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	for kind, options := range map[string]Options{
		"arm":      {Arms: []string{"v0.0.1"}},
		"scenario": {Scenarios: []string{"calm"}},
	} {
		var unknown *UnknownError
		if _, err := Prove(t.Context(), options); !errors.As(err, &unknown) || unknown.Kind != kind {
			t.Errorf("%+v: %v", options, err)
		}
	}
}

// refusedByFiles is how Prove refuses a full run at the highest rate here: by the limit of open files, or where that is
// high, not at all, so that the missing clone comes next.
func refusedByFiles(t *testing.T) error {
	t.Helper()
	limit, err := fileLimit()
	if err != nil {
		t.Fatal(err)
	}
	if limit < 64_000 {
		return ErrFileLimit
	}
	return ErrNoClone
}

func TestCheckFileLimit(t *testing.T) {
	limit, err := fileLimit()
	if err != nil {
		t.Fatal(err)
	}
	if err := checkFileLimit(1); err != nil {
		t.Errorf("one request: %v", err)
	}
	if limit < math.MaxInt-otherFiles {
		if err := checkFileLimit(int(limit)); !errors.Is(err, ErrFileLimit) {
			t.Errorf("as many requests as files: %v", err)
		}
	}
}

func TestFindRoot(t *testing.T) {
	here, err := FindRoot("")
	if err != nil {
		t.Fatal(err)
	}
	nested, err := FindRoot(filepath.Join("..", "examples", "evalapi"))
	if err != nil || nested != here {
		t.Errorf("from the service's own module: %q, %v, want %q", nested, err, here)
	}
}
