package regress

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// measuredReport is a report as Prove builds it, from made-up measurements of two arms.
func measuredReport(t *testing.T) *Report {
	t.Helper()
	p := newPace(true, DefaultRate)
	r := newReport(true, p, []builtArm{
		{Arm: Arm{Name: "v1.55.2", Version: "v1.55.2"}, patches: []string{}},
		{Arm: Arm{Name: forkName, Version: "v1.55.2"}, patches: []string{"0003-<flush>"}},
	})
	for _, s := range Scenarios() {
		var samples []*sample
		for arm := range 2 {
			sample := newSample(p)
			for e := range endpoints {
				for i := range 600 {
					latency := time.Millisecond
					if arm == 0 && e == collect && i%10 == 0 {
						latency += s.SinkTime()
					}
					record(t, sample.latencies[e], time.Duration(i)*p.length/600, answer{latency: latency, status: 200})
				}
			}
			sample.events = Events{Accepted: 1200, Stored: 1200}
			if arm == 1 {
				sample.accounts = append(sample.accounts, Account{Exporter: s3Exporter, Added: 1200, Exported: 1200})
			}
			sample.peak = Peak{Goroutines: 40 / int64(arm+1), MemoryMB: 30, CPU: 0.1}
			sample.levels = levels{0: 10, 30: 40}
			samples = append(samples, sample)
		}
		r.add(p, s.scaled(quickFactor), samples)
	}
	r.judge()
	for i := range r.Verdicts { // whatever is claimed, the reports must be able to show one that is not
		if r.Verdicts[i].Promise == "P5" {
			r.Verdicts[i].Outcome = NotClaimed
		}
	}
	return r
}

func TestTable(t *testing.T) {
	r := measuredReport(t)
	r.Settings.Began, r.Settings.CPUs, r.Settings.Go, r.Settings.OS = "2026-01-02T03:04:05Z", 2, "go1.26.8", "linux/amd64"
	var b strings.Builder
	if err := r.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Quick run (durations ÷ 10, one round): 1 × 1 s an arm and scenario after 0.3 s of warm-up, " +
			"200 requests/s to each endpoint, 2 CPUs, go1.26.8 linux/amd64, 2026-01-02T03:04:05Z.\n",
		"/check does the work of /collect without the library",
		"an evaluation hides the wait behind a goroutine an event",
		"threshold: the buffer of 100 events fills while an upload takes 500 ms (flush every 0.5 s or at 100 events)\n" +
			"  /collect        p50       p95       p99       p99.9     max       requests  failed  unanswered\n" +
			"  v1.55.2         1.00 ms   501 ms    501 ms    501 ms    501 ms    600       0       0\n" +
			"  fork            1.00 ms   1.00 ms   1.00 ms   1.00 ms   1.00 ms   600       0       0\n" +
			"  fork ÷ v1.55.2  1.00×     0.00200×  0.00200×  0.00200×  0.00200×\n",
		"  /check          p50       p95       p99       p99.9     max       requests  failed  unanswered\n" +
			"  v1.55.2         1.00 ms   1.00 ms   1.00 ms   1.00 ms   1.00 ms   600       0       0\n" +
			"  fork            1.00 ms   1.00 ms   1.00 ms   1.00 ms   1.00 ms   600       0       0\n" +
			"  events          accepted  stored  lost  dropped  repeated  late  goroutines  memory   CPU\n" +
			"  v1.55.2         1200      1200    0     –        0         –     40          30.0 MB  0.100\n" +
			"  fork            1200      1200    0     0        0         –     20          30.0 MB  0.100\n",
		"(flush every 0.5 s or at 250 events, Close limited to 1.00 s where it can be)",
		"(flush every 0.5 s or at 250 events, well again after 0.667 s, 25 events a request)",
		"  P1  pass             AddEvent never waits for an export, however slow or hung the sink\n" +
			"      pass             timer: p99.9 of /collect is 1.00 ms, 1.00× its own instant, sink 65.0 ms; " +
			"p99.9 of /flag-evaluation is 1.00 ms, 1.00× its own instant, sink 65.0 ms\n",
		"  P5  not claimed yet  memory",
		"  timer: counted: 1200 added, 1200 exported, 0 dropped, 0 pending; seen: 1200 accepted, 1200 stored, 0 lost\n",
		"  v1.55.2  threshold  p99.9 of /collect is 501 ms, 1.00× the sink's time, 501× its own instant; 0 events lost, 0 repeated\n",
	} {
		if !strings.Contains(columns(b.String()), columns(want)) {
			t.Errorf("the table lacks\n%s", want)
		}
	}
	// Evaluations do not wait and events are counts: a ratio of those says nothing.
	if got, want := strings.Count(b.String(), "fork ÷ "), len(r.Scenarios)*(len(r.Arms)-1); got != want {
		t.Errorf("%d rows of ratios, want %d", got, want)
	}
	if t.Failed() {
		t.Logf("the table:\n%s", b.String())
	}
}

// What failed may have failed fast: figures that hold any are shown, but not as so many times better.
func TestNoRatioOfFailures(t *testing.T) {
	for _, failing := range []int{0, 1} {
		r := measuredReport(t)
		r.Scenarios[1].Arms[failing].Collect.Failed = 3
		rows := collectRows(&r.Scenarios[1])
		want := []string{"fork ÷ v1.55.2", "–", "–", "–", "–", "–"}
		if diff := cmp.Diff(want, rows[len(rows)-1]); diff != "" {
			t.Errorf("%s failed (-want +got):\n%s", r.Arms[failing].Name, diff)
		}
	}
}

// columns leaves of the space between columns only that it is there.
func columns(table string) string { return regexp.MustCompile(` {2,}`).ReplaceAllString(table, "  ") }

// The names are an interface: scripts read them.
func TestJSON(t *testing.T) {
	content, err := json.Marshal(measuredReport(t))
	if err != nil {
		t.Fatal(err)
	}
	var top map[string]json.RawMessage
	var report struct {
		Arms      []map[string]any
		Scenarios []map[string]json.RawMessage
		Verdicts  []map[string]any
	}
	for _, into := range []any{&top, &report} {
		if err := json.Unmarshal(content, into); err != nil {
			t.Fatal(err)
		}
	}
	wantKeys(t, top, "settings", "arms", "scenarios", "verdicts", "others", "remarks")
	wantKeys(t, report.Arms[0], "name", "version", "patches")
	wantKeys(t, report.Scenarios[0], "name", "about", "flushIntervalS", "maxEventsInMemory", "uploadMs", "jitterMs", "sinkMs",
		"nonBulk", "outageS", "hung", "eventsPerRequest", "rounds", "boundS", "closeLimitMs", "arms")
	wantKeys(t, report.Verdicts[0], "promise", "text", "claimed", "outcome", "findings")

	var arms []map[string]json.RawMessage
	if err := json.Unmarshal(report.Scenarios[0]["arms"], &arms); err != nil {
		t.Fatal(err)
	}
	wantKeys(t, arms[1], "arm", "collect", "evaluation", "check", "events", "accounts", "peak", "stop", "goroutines", "trouble")
	for part, keys := range map[string][]string{
		"collect": {"requests", "failed", "unanswered", "p50Ms", "p95Ms", "p99Ms", "p999Ms", "maxMs", "curve", "timeline"},
		"events": {"accepted", "stored", "lost", "repeated", "refused", "unasked", "late", "objects", "puts", "failedPuts",
			"failedNames", "abandonedNames", "changedNames"},
		"stop": {"clean", "closeMs"},
		"peak": {"goroutines", "memoryMB", "cpu"},
	} {
		var got map[string]any
		if err := json.Unmarshal(arms[1][part], &got); err != nil {
			t.Fatal(err)
		}
		wantKeys(t, got, keys...)
	}
	if strings.Contains(string(content), "null") {
		t.Error("there is a null where a script expects a list")
	}
}

func wantKeys[V any](t *testing.T, got map[string]V, want ...string) {
	t.Helper()
	names, wanted := map[string]bool{}, map[string]bool{}
	for name := range got {
		names[name] = true
	}
	for _, name := range want {
		wanted[name] = true
	}
	if diff := cmp.Diff(wanted, names); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

func TestHTML(t *testing.T) {
	r := measuredReport(t)
	var b bytes.Buffer
	if err := r.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	html := b.String()

	// Nothing may be loaded: no address, no script, no style sheet or image of its own.
	for _, pattern := range []string{`https?:`, `//[a-z]`, `<script`, `<link`, `<img`, `<iframe`, `@import`, `url\(`, `\bsrc=`, `\bhref=`} {
		if found := regexp.MustCompile(pattern).FindString(html); found != "" {
			t.Errorf("the page refers to something outside: %q", found)
		}
	}
	for _, want := range []string{
		`id="threshold"`, `prefers-color-scheme: dark`, `p99.9`, `the sink answers 503`, `one export: 500 ms`,
		`class="badge pass">pass<`, `class="badge open">not claimed yet<`, `fork ÷ v1.55.2`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(html, "ZgotmplZ") {
		t.Error("the template refused a value")
	}

	// Five charts a scenario, each with a line an arm, and every coordinate within its chart.
	var charts, lines int
	d := xml.NewDecoder(strings.NewReader(html[strings.Index(html, "<html"):]))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch element.Name.Local {
		case "figure":
			charts++
		case "polyline":
			lines++
			checkPoints(t, attribute(element, "points"))
		}
	}
	if want := 5 * len(r.Scenarios); charts != want || lines != want*len(r.Arms) {
		t.Errorf("%d charts with %d lines", charts, lines)
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func TestChartAxis(t *testing.T) {
	y, ticks := decades([][]xy{{{1, 0.4}, {2, 120}}}, lowestMs, plainMillis, 500)
	var labels []string
	for _, tick := range ticks {
		labels = append(labels, tick.Label)
	}
	if diff := cmp.Diff([]string{"0.1 ms", "1 ms", "10 ms", "100 ms", "1 s"}, labels); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if bottom, top := y.at(0.1), y.at(1000); bottom != plotTop+plotHeight || top != plotTop {
		t.Errorf("the axis goes from %v to %v", bottom, top)
	}
	if y.at(0.001) != y.at(0.1) {
		t.Error("a value below the axis leaves the chart")
	}
}

func TestWords(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{millis(0), "0 ms"}, {millis(0.0512), "0.0512 ms"}, {millis(4.25), "4.25 ms"}, {millis(999.9), "1000 ms"},
		{millis(65), "65.0 ms"},
		{millis(12345), "12.3 s"}, {millis(123456), "123 s"}, {times(2), "2.00×"}, {ratio(1, 0), "–"},
		{ratio(1, 4), "0.250×"}, {seconds(0.3), "0.3 s"},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}

func checkPoints(t *testing.T, points string) {
	t.Helper()
	fields := strings.Fields(points)
	if len(fields) < 2 {
		t.Errorf("a line of %d points", len(fields))
	}
	for _, field := range fields {
		var x, y float64
		if _, err := fmt.Sscanf(field, "%f,%f", &x, &y); err != nil {
			t.Fatalf("point %q: %v", field, err)
		}
		if x < plotLeft || x > plotLeft+plotWidth || y < plotTop || y > plotTop+plotHeight {
			t.Errorf("point %q is outside of its chart", field)
		}
	}
}
