package regress

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// WriteTable writes the report for people: one block a scenario, the fork's /collect against the others as ratios,
// then the verdicts. It needs about 110 columns.
func (r *Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	b.WriteString(r.Settings.sentence())
	b.WriteByte('\n')
	for _, remark := range r.Remarks {
		b.WriteString(remark + "\n")
	}
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		fmt.Fprintf(&b, "\n%s: %s (%s)\n", s.Name, s.About, s.sentence(r.Settings))
		writeRows(&b, collectRows(s))
		writeRows(&b, evaluationRows(s))
		writeRows(&b, checkRows(s))
		writeRows(&b, eventRows(s))
	}
	b.WriteString("\nThe promises: P of the fork, E of this module's exporters on the plain release\n")
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
		kind = "Quick run (durations ÷ 10, one round)"
	}
	return fmt.Sprintf("%s: %d × %s an arm and scenario after %s of warm-up, %s requests/s to each endpoint, %d CPUs, %s %s, %s.",
		kind, s.Rounds, seconds(s.RoundS), seconds(s.WarmupS), strconv.FormatFloat(s.Rate, 'f', -1, 64), s.CPUs, s.Go, s.OS, s.Began)
}

// sentence says how the service was set up, and what was measured otherwise than the settings say.
func (s *ScenarioResult) sentence(settings Settings) string {
	text := fmt.Sprintf("flush every %s or at %d events", seconds(s.FlushS), s.MaxEvents)
	if s.NonBulk {
		text = "no buffer"
	}
	if s.JitterMs > 0 {
		text += ", sleep of 0 to " + millis(s.JitterMs)
	}
	if s.OutageS > 0 {
		text += ", well again after " + significant(s.OutageS) + " s"
	}
	if s.Events > 1 {
		text += fmt.Sprintf(", %d events a request", s.Events)
	}
	if s.Hung {
		text += ", Close limited to " + millis(s.CloseMs) + " where it can be"
	}
	if s.Rounds < settings.Rounds {
		text += fmt.Sprintf(", rounds: %d", s.Rounds)
	}
	return text
}

// collectRows are the latencies of /collect, and the fork's against those of each other arm: this is where a wait shows.
func collectRows(s *ScenarioResult) [][]string {
	rows := latencyRows(s, "/collect", func(a *ArmResult) *Latency { return &a.Collect })
	fork := slices.IndexFunc(s.Arms, func(a ArmResult) bool { return a.Arm == forkName })
	if fork < 0 {
		return rows
	}
	for i := range s.Arms {
		if i == fork {
			continue
		}
		row := []string{forkName + " ÷ " + s.Arms[i].Arm}
		mine, theirs := &s.Arms[fork].Collect, &s.Arms[i].Collect
		for n, v := range theirs.figures() {
			if mine.Failed+theirs.Failed > 0 {
				row = append(row, "–") // what failed at once would be called fast
				continue
			}
			row = append(row, ratio(mine.figures()[n], v))
		}
		rows = append(rows, row)
	}
	return rows
}

func evaluationRows(s *ScenarioResult) [][]string {
	return latencyRows(s, "/flag-evaluation", func(a *ArmResult) *Latency { return &a.Evaluation })
}

func checkRows(s *ScenarioResult) [][]string {
	return latencyRows(s, "/check", func(a *ArmResult) *Latency { return &a.Check })
}

func latencyRows(s *ScenarioResult, endpoint string, of func(*ArmResult) *Latency) [][]string {
	rows := [][]string{{endpoint, "p50", "p95", "p99", "p99.9", "max", "requests", "failed", "unanswered"}}
	for i := range s.Arms {
		l := of(&s.Arms[i])
		row := []string{s.Arms[i].Arm}
		for _, v := range l.figures() {
			row = append(row, millis(v))
		}
		rows = append(rows, append(row, count(l.Requests), count(l.Failed), count(l.Unanswered)))
	}
	return rows
}

// figures are the times that the tables show.
func (l *Latency) figures() []float64 { return []float64{l.P50, l.P95, l.P99, l.P999, l.Max} }

func eventRows(s *ScenarioResult) [][]string {
	rows := [][]string{{"events", "accepted", "stored", "lost", "dropped", "repeated", "late", "goroutines", "memory", "CPU"}}
	for i := range s.Arms {
		a := &s.Arms[i]
		dropped, late := "–", "–" // not counted
		if s3 := a.account(s3Exporter); s3 != nil {
			dropped = count(s3.Dropped)
		}
		if s.Events > 1 {
			late = count(a.Events.Late)
		}
		rows = append(rows, []string{
			a.Arm, count(a.Events.Accepted), count(a.Events.Stored), count(a.Events.Lost), dropped, count(a.Events.Repeated), late,
			count(a.Peak.Goroutines), significant(a.Peak.MemoryMB) + " MB", significant(a.Peak.CPU),
		})
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
