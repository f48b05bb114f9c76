package regress

import (
	_ "embed"
	"html/template"
	"io"
)

//go:embed report.html.tmpl
var pageSource string

var page = template.Must(template.New("report").Funcs(template.FuncMap{
	"outcome": func(o Outcome) string { // class of a badge
		switch o {
		case Pass:
			return "pass"
		case Fail:
			return "fail"
		case Undecided:
			return "undecided"
		}
		return "open"
	},
	"colour": colour,
	"add":    func(a, b float64) float64 { return a + b },
}).Parse(pageSource))

// pageData is what the template shows: the report, and what is laid out beforehand.
type pageData struct {
	*Report
	Measured string // how it was measured
	Blocks   []pageScenario
}

type pageScenario struct {
	*ScenarioResult
	Setup  string
	Charts []chart
	Tables [][][]string // each with its head as first row
}

// WriteHTML writes the report as one page that needs nothing else: no script, no font, no image, no network.
func (r *Report) WriteHTML(w io.Writer) error {
	data := pageData{Report: r, Measured: r.Settings.sentence()}
	ofCollect := func(a *ArmResult) *Latency { return &a.Collect }
	ofEvaluation := func(a *ArmResult) *Latency { return &a.Evaluation }
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		data.Blocks = append(data.Blocks, pageScenario{
			ScenarioResult: s,
			Setup:          s.sentence(r.Settings),
			Charts: []chart{
				curveChart(s, "/collect: latency by percentile", ofCollect),
				timeChart(r, s, "/collect: worst latency over the run", ofCollect),
				curveChart(s, "/flag-evaluation: latency by percentile", ofEvaluation),
				timeChart(r, s, "/flag-evaluation: worst latency over the run", ofEvaluation),
				goroutineChart(r, s),
			},
			Tables: [][][]string{
				collectRows(s),
				evaluationRows(s),
				checkRows(s),
				eventRows(s),
			},
		})
	}
	return page.Execute(w, data)
}
