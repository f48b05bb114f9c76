package regress

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// WriteTable writes the report for people: one block a scenario, the fork against the others as ratios, then the
// verdicts. It needs about 110 columns.
func (r *Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	b.WriteString(r.Settings.sentence())
	b.WriteByte('\n')
	for _, remark := range r.Remarks {
		b.WriteString(remark + "\n")
	}
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		fmt.Fprintf(&b, "\n%s: %s (%s)\n", s.Name, s.About, s.sentence())
		writeRows(&b, latencyRows(s, "/collect", func(a *ArmResult) *Latency { return &a.Collect }))
		writeRows(&b, latencyRows(s, "/flag-evaluation", func(a *ArmResult) *Latency { return &a.Evaluation }))
		writeRows(&b, eventRows(s))
	}
	b.WriteString("\nThe fork's promises\n")
	var rows [][]string
	for _, v := range r.Verdicts {
		rows = append(rows, []string{v.Promise, string(v.Outcome), v.Text})
		for _, f := range v.Findings {
			rows = append(rows, []string{"", string(f.Outcome), strings.TrimPrefix(f.Scenario+": ", ": ") + f.Text})
		}
	}
	writeRows(&b, rows)
	if len(r.Others) > 0 {
		b.WriteString("\nWhat the others do\n")
		rows = nil
		for _, f := range r.Others {
			rows = append(rows, []string{f.Arm, f.Scenario, f.Text})
		}
		writeRows(&b, rows)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sentence says how it was measured.
func (s Settings) sentence() string {
	kind := "Full run"
	if s.Quick {
		kind = "Quick run (durations ÷ 10)"
	}
	return fmt.Sprintf("%s: %d × %s an arm and scenario after %s of warm-up, %s requests/s to each endpoint, %d CPUs, %s %s, %s.",
		kind, s.Rounds, seconds(s.RoundS), seconds(s.WarmupS), strconv.FormatFloat(s.Rate, 'f', -1, 64), s.CPUs, s.Go, s.OS, s.Began)
}

// sentence says how the service was set up.
func (s *ScenarioResult) sentence() string {
	text := fmt.Sprintf("flush every %s or at %d events", seconds(s.FlushS), s.MaxEvents)
	if s.NonBulk {
		text = "no buffer"
	}
	if s.JitterMs > 0 {
		text += ", sleep of 0 to " + millis(s.JitterMs)
	}
	if s.OutageS > 0 {
		text += fmt.Sprintf(", well again after %s", seconds(s.OutageS))
	}
	return text
}

func latencyRows(s *ScenarioResult, endpoint string, of func(*ArmResult) *Latency) [][]string {
	figures := func(l *Latency) []float64 { return []float64{l.P50, l.P95, l.P99, l.P999, l.Max} }
	rows := [][]string{{endpoint, "p50", "p95", "p99", "p99.9", "max", "requests", "failed", "unanswered"}}
	for i := range s.Arms {
		l := of(&s.Arms[i])
		row := []string{s.Arms[i].Arm}
		for _, v := range figures(l) {
			row = append(row, millis(v))
		}
		rows = append(rows, append(row, count(l.Requests), count(l.Failed), count(l.Unanswered)))
	}
	return append(rows, ratioRows(s, func(a *ArmResult) []float64 { return figures(of(a)) })...)
}

func eventRows(s *ScenarioResult) [][]string {
	rows := [][]string{{"events", "accepted", "stored", "lost", "repeated", "goroutines", "memory", "CPU"}}
	for _, a := range s.Arms {
		rows = append(rows, []string{
			a.Arm, count(a.Events.Accepted), count(a.Events.Stored), count(a.Events.Lost), count(a.Events.Repeated),
			count(a.Peak.Goroutines), significant(a.Peak.MemoryMB) + " MB", significant(a.Peak.CPU),
		})
	}
	return append(rows, ratioRows(s, func(a *ArmResult) []float64 {
		return []float64{
			float64(a.Events.Accepted), float64(a.Events.Stored), float64(a.Events.Lost), float64(a.Events.Repeated),
			float64(a.Peak.Goroutines), a.Peak.MemoryMB, a.Peak.CPU,
		}
	})...)
}

// ratioRows holds the fork's figures against those of each other arm.
func ratioRows(s *ScenarioResult, figures func(*ArmResult) []float64) [][]string {
	var rows [][]string
	for i := range s.Arms {
		if s.Arms[i].Arm != forkName {
			continue
		}
		fork := figures(&s.Arms[i])
		for k := range s.Arms {
			if k == i {
				continue
			}
			row := []string{forkName + " ÷ " + s.Arms[k].Arm}
			for n, v := range figures(&s.Arms[k]) {
				row = append(row, ratio(fork[n], v))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func count(n int64) string { return strconv.FormatInt(n, 10) }

// writeRows aligns rows in columns, indented.
func writeRows(b *strings.Builder, rows [][]string) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		line := strings.ReplaceAll(strings.Join(row, "\t"), "\n", " ") // the end of a log has lines of its own
		fmt.Fprintf(w, "  %s\n", line)
	}
	_ = w.Flush() // a strings.Builder takes everything
}
