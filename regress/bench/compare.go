package bench

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"
)

// Layout says what stands in the columns of the tables. The zero value puts the arms there; or, in a package that only one
// arm has, the first key in the names of its benchmarks: "/queue" of "Enqueue/queue=channel/goroutines=1".
type Layout struct {
	Column string // a key, as benchstat's -col takes it: "arm", "/goroutines", ".file"; empty: see above
	Base   string // the column that ratios refer to; empty: v1.55.2 if it is there, else the first
}

const (
	armKey = "arm"
	// yardstick is the column that ratios refer to if no other is named: the release that the fork is made of.
	yardstick = "v1.55.2"
	// confidence of the intervals, as benchstat has it.
	confidence = 0.95
)

// Check returns an *[OptionError] if the column is no key. Whether there is such a base only results can tell.
func (l Layout) Check() error {
	_, err := new(benchproc.ProjectionParser).Parse(cmp.Or(l.Column, armKey), nil)
	if err != nil {
		return &OptionError{"col", l.Column, err.Error()}
	}
	return nil
}

// Comparison is a set of tables, one a package and unit.
type Comparison struct {
	Tables []*Table `json:"tables"`
}

// Table compares columns in one unit.
type Table struct {
	Package string   `json:"package"`
	Unit    string   `json:"unit"`             // base unit: "sec/op", "p99.9-sec"
	Better  string   `json:"better,omitempty"` // "higher", "lower", or empty where it is not known
	Column  string   `json:"column"`           // the key
	Columns []string `json:"columns"`          // its values
	Base    string   `json:"base"`             // one of them; empty: none of these has the base
	Rows    []*Row   `json:"rows"`
	Notes   []string `json:"notes,omitempty"` // what to know before believing a figure
}

// Row is one benchmark.
type Row struct {
	Name  string  `json:"name"`
	Cells []*Cell `json:"cells"` // one a column; nil: not measured
}

// Cell is what the rounds of one benchmark gave in one column.
type Cell struct {
	N      int      `json:"n"`      // rounds
	Center float64  `json:"center"` // the median
	Lo     *float64 `json:"lo,omitempty"`
	Hi     *float64 `json:"hi,omitempty"`    // 95 % interval of the median; nil: too few rounds for one
	Ratio  *float64 `json:"ratio,omitempty"` // to the base; nil: this is the base, or there is none, or it is 0
	P      *float64 `json:"p,omitempty"`     // of being equal to the base (Mann-Whitney U test); nil as above

	spread  string // the interval in percent
	sample  *benchmath.Sample
	residue map[benchproc.Key]bool
}

// Compare makes the tables. The error is an *[OptionError]: a column key that cannot be parsed, or a base that no table has.
func (r *Results) Compare(l Layout) (*Comparison, error) {
	if err := l.Check(); err != nil {
		return nil, err
	}
	comparison := &Comparison{}
	var bases []string
	for _, pkg := range r.packages() {
		tables, err := r.tables(pkg, l)
		if err != nil {
			return nil, err
		}
		for _, t := range tables {
			r.judge(t)
			bases = append(bases, t.Columns...)
		}
		comparison.Tables = append(comparison.Tables, tables...)
	}
	if l.Base != "" && !slices.Contains(bases, l.Base) {
		return nil, &OptionError{"base", l.Base, "is not a column; there are " + strings.Join(unique(bases), ", ")}
	}
	return comparison, nil
}

func (r *Results) packages() []string {
	var all []string
	for _, result := range r.all {
		all = append(all, result.GetConfig("pkg"))
	}
	return unique(all)
}

// tables groups the results of one package by unit, row and column.
func (r *Results) tables(pkg string, l Layout) ([]*Table, error) {
	var results []*benchfmt.Result
	for _, result := range r.all {
		if result.GetConfig("pkg") == pkg {
			results = append(results, result)
		}
	}
	column := cmp.Or(l.Column, columnOf(results))
	var parser benchproc.ProjectionParser
	columns, err := parser.Parse(column, nil)
	if err != nil {
		return nil, err
	}
	rows, err := parser.Parse(".fullname", nil)
	if err != nil {
		return nil, err
	}
	residue := parser.Residue()

	var tables []*Table
	byUnit := map[string]*Table{}
	for _, result := range results {
		name, at, rest := rows.Project(result).StringValues(), columns.Project(result).StringValues(), residue.Project(result)
		for _, value := range result.Values {
			t := byUnit[value.Unit]
			if t == nil {
				t = &Table{Package: pkg, Unit: value.Unit, Column: column, Base: l.Base}
				byUnit[value.Unit] = t
				tables = append(tables, t)
			}
			t.cell(name, at).add(value.Value, rest)
		}
	}
	return tables, nil
}

// columnOf is what a package's tables have in the columns if nothing is asked for.
func columnOf(results []*benchfmt.Result) string {
	for _, result := range results {
		if result.GetConfig(armKey) != results[0].GetConfig(armKey) {
			return armKey
		}
	}
	if _, parts := results[0].Name.Parts(); len(parts) > 0 {
		if key, _, ok := strings.Cut(string(parts[0]), "="); ok {
			return key
		}
	}
	return armKey
}

// cell finds or makes the cell of a row and a column. Both keep the order in which they are seen.
func (t *Table) cell(name, column string) *Cell {
	at := slices.Index(t.Columns, column)
	if at < 0 {
		at = len(t.Columns)
		t.Columns = append(t.Columns, column)
	}
	i := slices.IndexFunc(t.Rows, func(row *Row) bool { return row.Name == name })
	if i < 0 {
		i = len(t.Rows)
		t.Rows = append(t.Rows, &Row{Name: name})
	}
	row := t.Rows[i]
	for len(row.Cells) <= at {
		row.Cells = append(row.Cells, nil)
	}
	if row.Cells[at] == nil {
		row.Cells[at] = &Cell{sample: &benchmath.Sample{}, residue: map[benchproc.Key]bool{}}
	}
	return row.Cells[at]
}

func (c *Cell) add(value float64, residue benchproc.Key) {
	c.sample.Values = append(c.sample.Values, value)
	c.residue[residue] = true
}

func unique(all []string) []string {
	var seen []string
	for _, s := range all {
		if !slices.Contains(seen, s) {
			seen = append(seen, s)
		}
	}
	return seen
}

// differing names the keys in which the results of one cell differ, so that it may not be one measurement.
func differing(residue map[benchproc.Key]bool) []string {
	var keys []benchproc.Key
	for key := range residue {
		keys = append(keys, key)
	}
	var names []string
	for _, field := range benchproc.NonSingularFields(keys) {
		if field.Name != ".file" { // several files of one kind are what is compared
			names = append(names, fmt.Sprint(field))
		}
	}
	slices.Sort(names)
	return names
}
