package bench

import (
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"
)

// judge computes the figures of a table whose samples are complete.
func (r *Results) judge(t *Table) {
	switch r.units.GetBetter(t.Unit) {
	case +1:
		t.Better = "higher"
	case -1:
		t.Better = "lower"
	}
	t.Base = baseOf(t)
	base := slices.Index(t.Columns, t.Base)
	assumption := r.units.GetAssumption(t.Unit)
	for _, row := range t.Rows {
		for len(row.Cells) < len(t.Columns) {
			row.Cells = append(row.Cells, nil)
		}
		for _, cell := range row.Cells {
			if cell != nil {
				t.note(cell.summarize(assumption)...)
				for _, key := range differing(cell.residue) {
					t.note("some medians are of results that differ in " + key)
				}
			}
		}
		if base < 0 || row.Cells[base] == nil {
			continue
		}
		for i, cell := range row.Cells {
			if i != base && cell != nil {
				t.note(cell.compare(row.Cells[base], assumption)...)
			}
		}
	}
}

// baseOf is the column that the table's ratios refer to, or "" if the one that was asked for is not here.
func baseOf(t *Table) string {
	if t.Base != "" {
		if slices.Contains(t.Columns, t.Base) {
			return t.Base
		}
		return ""
	}
	if slices.Contains(t.Columns, yardstick) {
		return yardstick
	}
	return t.Columns[0]
}

func (t *Table) note(texts ...string) {
	for _, text := range texts {
		if !slices.Contains(t.Notes, text) {
			t.Notes = append(t.Notes, text)
		}
	}
}

// summarize computes the figures that take no other cell. What it returns is to be noted.
func (c *Cell) summarize(assumption benchmath.Assumption) []string {
	c.sample = benchmath.NewSample(c.sample.Values, &benchmath.DefaultThresholds)
	summary := assumption.Summary(c.sample, confidence)
	c.N, c.Center = len(c.sample.Values), summary.Center
	c.spread = strings.TrimSpace(summary.PctRangeString())
	if !math.IsInf(summary.Lo, 0) && !math.IsInf(summary.Hi, 0) {
		c.Lo, c.Hi = &summary.Lo, &summary.Hi
	}
	return words(c.sample.Warnings, summary.Warnings)
}

// compare computes the figures that hold the cell against the base.
func (c *Cell) compare(base *Cell, assumption benchmath.Assumption) []string {
	if slices.Min(c.sample.Values) == slices.Max(base.sample.Values) && slices.Max(c.sample.Values) == slices.Min(base.sample.Values) {
		one := 1.0 // all the same, in which no test finds anything
		c.P, c.Ratio = &one, &one
		return nil
	}
	test := assumption.Compare(base.sample, c.sample)
	c.P = &test.P
	switch {
	case base.Center != 0:
		ratio := c.Center / base.Center
		c.Ratio = &ratio
	case c.Center == 0:
		same := 1.0
		c.Ratio = &same
	}
	return words(test.Warnings)
}

func words(lists ...[]error) []string {
	var all []string
	for _, list := range lists {
		for _, warning := range list {
			all = append(all, warning.Error())
		}
	}
	return all
}
