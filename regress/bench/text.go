package bench

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"golang.org/x/perf/benchunit"
)

// WriteText prints the tables.
func (c *Comparison) WriteText(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	pkg := ""
	for i, t := range c.Tables {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if t.Package != pkg {
			pkg = t.Package
			fmt.Fprintf(out, "pkg: %s\n\n", pkg)
		}
		t.write(out)
	}
	return out.Flush()
}

func (t *Table) write(w io.Writer) {
	title := []string{t.Unit}
	if t.Better != "" {
		title = append(title, t.Better+" is better")
	}
	if t.Base != "" && len(t.Columns) > 1 {
		title = append(title, "ratios to "+t.Base)
	}
	fmt.Fprintln(w, strings.Join(title, "; "))
	// A tab ends a cell; the rest of a line, after the last tab, does not count for the width of a column.
	fmt.Fprintf(w, "\t%s\n", strings.Join(t.Columns, "\t"))
	for _, row := range t.Rows {
		line := row.Name
		for _, cell := range row.Cells {
			line += "\t" + cell.text(t.Unit)
		}
		fmt.Fprintln(w, line)
	}
	for _, note := range t.Notes {
		fmt.Fprintf(w, "note: %s\n", note)
	}
}

// text is a cell as the table shows it: "151.2n ± 3%  0.723× p=0.000 n=10". A nil cell is a dash.
func (c *Cell) text(unit string) string {
	if c == nil {
		return "–"
	}
	text := scaled(c.Center, unit) + " ± " + strings.TrimPrefix(c.spread, "± ")
	if c.P == nil {
		return text + " n=" + strconv.Itoa(c.N)
	}
	ratio := "–"
	if c.Ratio != nil {
		ratio = times(*c.Ratio)
	}
	return fmt.Sprintf("%s  %s p=%.3f n=%d", text, ratio, *c.P, c.N)
}

// scaled writes a value with the prefix that suits it. Percents have none.
func scaled(value float64, unit string) string {
	if strings.HasSuffix(unit, "%") {
		return strconv.FormatFloat(value, 'g', 4, 64)
	}
	return benchunit.Scale(value, benchunit.ClassOf(unit))
}

// times writes a ratio with three significant digits: "0.723×", "1290×".
func times(ratio float64) string {
	if ratio >= 100 {
		return strconv.FormatFloat(ratio, 'f', 0, 64) + "×"
	}
	return strconv.FormatFloat(ratio, 'g', 3, 64) + "×"
}
