package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sheet writes ten results a line: name, arm, first value and unit; the values rise by one.
func sheet(lines ...string) string {
	text := "Unit p99-ns better=lower\npkg: example.com/m\n"
	for _, line := range lines {
		var name, arm, unit string
		var first int
		if _, err := fmt.Sscan(line, &name, &arm, &first, &unit); err != nil {
			panic(err)
		}
		text += "arm: " + arm + "\n"
		for i := range 10 {
			text += fmt.Sprintf("Benchmark%s-2 1 %d %s\n", name, first+i, unit)
		}
	}
	return text
}

func compare(t *testing.T, l Layout, text string) *Comparison {
	t.Helper()
	results, err := Read(strings.NewReader(text), "sheet")
	if err != nil {
		t.Fatal(err)
	}
	comparison, err := results.Compare(l)
	if err != nil {
		t.Fatal(err)
	}
	return comparison
}

func TestCompare(t *testing.T) {
	c := compare(t, Layout{}, sheet("A old 1000 p99-ns", "A v1.55.2 2000 p99-ns", "A fork 500 p99-ns", "B fork 7 p99-ns"))
	if len(c.Tables) != 1 {
		t.Fatalf("%d tables, want 1", len(c.Tables))
	}
	table := c.Tables[0]
	if table.Unit != "p99-sec" || table.Better != "lower" || table.Base != "v1.55.2" || table.Package != "example.com/m" {
		t.Errorf("unit %s, better %s, base %s, package %s", table.Unit, table.Better, table.Base, table.Package)
	}
	if diff := cmp.Diff([]string{"old", "v1.55.2", "fork"}, table.Columns); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	a, b := table.Rows[0], table.Rows[1]
	if a.Name != "A-2" || b.Name != "B-2" || b.Cells[0] != nil || b.Cells[1] != nil || b.Cells[2].Ratio != nil {
		t.Errorf("rows %s and %s, of which the second has one cell and no base: %v", a.Name, b.Name, b.Cells)
	}
	base, fork := a.Cells[1], a.Cells[2]
	if base.N != 10 || base.Ratio != nil || base.P != nil || !near(base.Center, 2004.5e-9) {
		t.Errorf("base: %+v", base)
	}
	if !near(*fork.Ratio, 504.5/2004.5) || *fork.P > 0.001 || fork.N != 10 {
		t.Errorf("fork: ratio %v, p %v, n %d", *fork.Ratio, *fork.P, fork.N)
	}
	if fork.Lo == nil || *fork.Lo < 500e-9 || *fork.Hi > 509e-9 || *fork.Lo >= fork.Center || *fork.Hi <= fork.Center {
		t.Errorf("interval of %v: %v to %v", fork.Center, fork.Lo, fork.Hi)
	}

	var text bytes.Buffer
	if err := c.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"p99-sec; lower is better; ratios to v1.55.2", "2.005µ ± ", "0.252× p=0.000 n=10", "–"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text has no %q:\n%s", want, text.String())
		}
	}
}

func near(got, want float64) bool { return got > 0.999*want && got < 1.001*want }

// A difference that is none has a high p-value; equal values have no test, and need none.
func TestCompareEqual(t *testing.T) {
	table := compare(t, Layout{}, sheet("A v1 100 ns/op", "A v2 100 ns/op")).Tables[0]
	if p := *table.Rows[0].Cells[1].P; p < 0.9 {
		t.Errorf("p-value of equal samples is %v", p)
	}
	text := "arm: v1\nBenchmarkA 1 0 allocs/op\nBenchmarkA 1 0 allocs/op\narm: v2\nBenchmarkA 1 0 allocs/op\narm: v3\nBenchmarkA 1 2 allocs/op\n"
	cells := compare(t, Layout{}, text).Tables[0].Rows[0].Cells
	if *cells[1].Ratio != 1 || *cells[1].P != 1 {
		t.Errorf("0 against 0: ratio %v, p %v", *cells[1].Ratio, *cells[1].P)
	}
	if cells[2].Ratio != nil || cells[2].P == nil {
		t.Errorf("2 against 0: ratio %v, p %v", cells[2].Ratio, cells[2].P)
	}
}

func TestColumns(t *testing.T) {
	queues := sheet("E/queue=slice/goroutines=1 peers 10 ns/op", "E/queue=channel/goroutines=1 peers 20 ns/op")
	for _, test := range []struct {
		name    string
		layout  Layout
		text    string
		columns []string
		base    string
	}{
		{"one arm", Layout{}, queues, []string{"slice", "channel"}, "slice"},
		{"one arm, base", Layout{Base: "channel"}, queues, []string{"slice", "channel"}, "channel"},
		{"one arm, asked for", Layout{Column: "arm"}, queues, []string{"peers"}, "peers"},
		{"two arms", Layout{}, queues + sheet("E/queue=slice/goroutines=1 other 10 ns/op"), []string{"peers", "other"}, "peers"},
		{"no key in the names", Layout{}, sheet("E fork 1 ns/op"), []string{"fork"}, "fork"},
		{"yardstick", Layout{}, sheet("E fork 1 ns/op", "E v1.55.2 1 ns/op"), []string{"fork", "v1.55.2"}, "v1.55.2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			table := compare(t, test.layout, test.text).Tables[0]
			if !slices.Equal(table.Columns, test.columns) || table.Base != test.base {
				t.Errorf("columns %v, base %s; want %v, %s", table.Columns, table.Base, test.columns, test.base)
			}
		})
	}
}

func TestCompareWrong(t *testing.T) {
	results, err := Read(strings.NewReader(sheet("A fork 1 ns/op")), "sheet")
	if err != nil {
		t.Fatal(err)
	}
	for _, layout := range []Layout{{Column: "("}, {Base: "v0"}} {
		_, err := results.Compare(layout)
		if wrong := (*OptionError)(nil); !errors.As(err, &wrong) {
			t.Errorf("%+v: error %v", layout, err)
		}
	}
	for _, text := range []string{"", "hello\n", "BenchmarkA 1 fast ns/op\n"} {
		if _, err := Read(strings.NewReader(text), "sheet"); !errors.Is(err, ErrNotResults) {
			t.Errorf("%q: error %v, want %v", text, err, ErrNotResults)
		}
	}
	if _, err := ReadFiles(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: error %v", err)
	}
}

// Files may be compared with each other, and results that do not belong together are pointed out.
func TestCompareFiles(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for i, cpu := range []string{"old", "new"} {
		paths = append(paths, filepath.Join(dir, cpu+".txt"))
		text := "cpu: " + cpu + "\n" + sheet(fmt.Sprintf("A fork %d ns/op", 100*(i+1)))
		if err := os.WriteFile(paths[i], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	results, err := ReadFiles(paths...)
	if err != nil {
		t.Fatal(err)
	}
	apart, err := results.Compare(Layout{Column: ".file"})
	if err != nil {
		t.Fatal(err)
	}
	if table := apart.Tables[0]; !slices.Equal(table.Columns, paths) || len(table.Notes) > 0 {
		t.Errorf("columns %v, notes %v", table.Columns, table.Notes)
	}
	mixed, err := results.Compare(Layout{})
	if err != nil {
		t.Fatal(err)
	}
	if table := mixed.Tables[0]; table.Rows[0].Cells[0].N != 20 || !slices.ContainsFunc(table.Notes, func(n string) bool { return strings.Contains(n, "cpu") }) {
		t.Errorf("%d results in one cell, notes %v; want 20 and a note on cpu", table.Rows[0].Cells[0].N, table.Notes)
	}
}

// Nobody reads 16.9m % as a sixtieth of a percent.
func TestScaled(t *testing.T) {
	for unit, want := range map[string]string{"accepted-%": "0.01691", "sec/op": "16.91m", "B/op": "0.01691"} {
		if got := scaled(0.016912, unit); got != want {
			t.Errorf("%s: %s, want %s", unit, got, want)
		}
	}
}

// Too few rounds for an interval are noted, and can be written as JSON.
func TestCompareFew(t *testing.T) {
	table := compare(t, Layout{}, "arm: v1\nBenchmarkA 1 10 ns/op\nBenchmarkA 1 11 ns/op\narm: v2\nBenchmarkA 1 12 ns/op\n").Tables[0]
	if len(table.Notes) == 0 || table.Rows[0].Cells[0].Lo != nil {
		t.Errorf("notes %v, lower end %v", table.Notes, table.Rows[0].Cells[0].Lo)
	}
	if _, err := json.Marshal(table); err != nil {
		t.Error(err)
	}
}
