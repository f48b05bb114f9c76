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

// The proof in small: the release that waits, the fork and the exporters that do not, in the scenario that tells them apart, and
// in an outage.
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
		Quick: true, Arms: []string{forkVersion, exportersName, forkName}, Scenarios: []string{"threshold", outageName},
		Progress: func(p Progress) { steps = append(steps, p) },
	})
	if err != nil {
		t.Fatal(err)
	}

	s, release := report.result("threshold", forkVersion)
	_, fork := report.result("threshold", forkName)
	if release == nil || fork == nil || len(report.Scenarios) != 2 || len(s.Arms) != 3 {
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
	for _, scenario := range []string{"threshold", outageName} {
		_, a := report.result(scenario, exportersName)
		s3 := a.account(s3Exporter)
		if e := a.Events; s3 == nil || e.Lost > 0 || e.Repeated > 0 || s3.Added != e.Accepted || s3.Exported != e.Stored {
			t.Errorf("%s: events on the exporters %+v, accounts %+v", scenario, e, a.Accounts)
		}
		if !a.Stop.Clean || len(a.Trouble) > 0 {
			t.Errorf("%s: stop of the exporters: %+v, trouble %q", scenario, a.Stop, a.Trouble)
		}
	}
	_, a := report.result("threshold", exportersName)
	if a.Collect.P50 > release.Collect.P50/2 {
		t.Errorf("p50 of /collect is %v ms on the exporters, %v ms on %s", a.Collect.P50, release.Collect.P50, forkVersion)
	}
	counts := slices.ContainsFunc(report.Arms[2].Patches, func(p string) bool { return strings.HasPrefix(p, countsPatch) })
	if s3 := fork.account(s3Exporter); len(release.Accounts) > 0 || (s3 != nil) != counts {
		t.Errorf("%s counts %+v, the fork with %q counts %+v", forkVersion, release.Accounts, report.Arms[2].Patches, fork.Accounts)
	} else if counts && (s3.Added != fork.Events.Accepted || s3.Exported != fork.Events.Stored) {
		t.Errorf("the fork counts %+v of %+v", *s3, fork.Events)
	}
	if len(report.Arms[0].Patches) != 0 || len(report.Arms[1].Patches) != 0 || len(report.Arms[2].Patches) == 0 {
		t.Errorf("arms %+v", report.Arms)
	}
	if len(steps) != 10 || steps[9].Step != 10 || steps[9].Total != 10 {
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
