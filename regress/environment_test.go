package regress

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/offlock/offlock/internal/modtree"
)

// What a scenario says must reach the sink and the service.
func TestScenarioSettings(t *testing.T) {
	b := &bench{sink: &sink{}, temp: "temp", pace: pace{length: 10 * time.Second}}
	for _, test := range []struct {
		arm      Arm
		scenario Scenario
		first    faults
		env      []string
		not      string
	}{
		{Arm{}, Scenario{Upload: 65 * time.Millisecond, FlushInterval: time.Second, MaxEvents: 9}, faults{DelayMS: 65},
			[]string{"FLUSH_INTERVAL=1s", "MAX_EVENTS_IN_MEMORY=9", "HUNG_EXPORTER=false", "CLOSE_TIMEOUT=20s", "SHUTDOWN_TIMEOUT=1m0s"},
			"AWS_MAX_ATTEMPTS=1"},
		{Arm{}, Scenario{Outage: 0.5}, faults{Status: 503, Code: "SlowDown"}, []string{"AWS_MAX_ATTEMPTS=1", "AWS_RETRY_MODE=standard"},
			"ASYNC_EXPORT=true"},
		{Arm{Exporters: true}, Scenario{}, faults{}, []string{"ASYNC_EXPORT=true", "SPOOL_DIR=" + filepath.Join("temp", "run-001")},
			"AWS_MAX_ATTEMPTS=1"},
		{Arm{Exporters: true}, Scenario{Outage: 0.5}, faults{Status: 503, Code: "SlowDown"}, []string{"SPOOL_AFTER=500ms"}, ""},
		{Arm{}, Scenario{Hung: true, Close: time.Second}, faults{}, []string{"HUNG_EXPORTER=true", "CLOSE_TIMEOUT=1s", "SHUTDOWN_TIMEOUT=3s"}, ""},
	} {
		if got := test.scenario.faults(test.scenario.Outage > 0); got != test.first {
			t.Errorf("%+v: faults %+v, want %+v", test.scenario, got, test.first)
		}
		env := b.environment("run-001", test.arm, test.scenario)
		for _, want := range test.env {
			if !slices.Contains(env, want) {
				t.Errorf("%+v: no %s in %q", test.scenario, want, env)
			}
		}
		if slices.Contains(env, test.not) {
			t.Errorf("%+v: %s in %q", test.scenario, test.not, env)
		}
	}
}

// The runs are bounded by what they wait for: a limit that outlasts the one around it is never seen.
func TestLimitsNest(t *testing.T) {
	for _, quick := range []bool{false, true} {
		p := newPace(quick, DefaultRate)
		for _, s := range Scenarios() {
			if quick {
				s = s.scaled(quickFactor)
			}
			if s.bound(p) <= 0 || s.rounds(p) < 1 || 3*s.closing() >= stopBound {
				t.Errorf("%s, quick %v: bound %s, %d rounds, shutdown after %s, killed after %s",
					s.Name, quick, s.bound(p), s.rounds(p), 3*s.closing(), stopBound)
			}
			// An outage that the fork must outlast fills half of what may wait at most, one that it must not passes the bound.
			sick := s.Outage * p.length.Seconds()
			backlog := float64(backlogPerFlush * s.MaxEvents)
			load := 2 * p.rate * float64(max(s.Events, 1))
			if s.Name == outageName && 2*load*(p.warmup.Seconds()+sick) > backlog {
				t.Errorf("%s, quick %v: %.0f events come while %.0f may wait", s.Name, quick, load*(p.warmup.Seconds()+sick), backlog)
			}
			if bound := float64(mostPending(s.MaxEvents)); s.Name == outageLongName && load*(p.warmup.Seconds()+sick) < 1.5*bound {
				t.Errorf("%s, quick %v: only %.0f events come while %.0f may be held", s.Name, quick, load*(p.warmup.Seconds()+sick), bound)
			}
		}
	}
}

// The counts are read where the fork has them, and nowhere else: the tag does not compile without.
func TestCountsTag(t *testing.T) {
	for name, test := range map[string]struct {
		marker *modtree.Marker
		want   bool
	}{
		"plain":         {nil, false},
		"split lock":    {&modtree.Marker{Patches: []string{"0001-split-lock"}}, false},
		"with the pump": {&modtree.Marker{Patches: []string{"0003-flush-off-caller", "0004-pump"}}, true},
	} {
		if got := (library{marker: test.marker}).counts(); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
