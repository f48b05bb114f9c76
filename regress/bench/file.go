package bench

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// units are those that the benchmarks report beside the testing package's own, with what benchstat has to know of them.
var units = []struct{ unit, better string }{
	{"p50-ns", "lower"},
	{"p99-ns", "lower"},
	{"p99.9-ns", "lower"},
	{"max-ns", "lower"},
	{"B/event", "lower"},
	{"accepted-%", "higher"},
	{"delivered-%", "higher"},
}

// file writes a benchmark file, one Write a round.
type file struct {
	out     io.Writer
	round   bytes.Buffer // what is next to be written
	results *benchfmt.Writer
}

func newFile(out io.Writer, o Options) *file {
	f := &file{out: out}
	f.results = benchfmt.NewWriter(&f.round)
	// Readers skip lines that are neither a key, a unit nor a result. The settings are no keys: results of two runs that differ in
	// a key end up in two tables.
	fmt.Fprintf(&f.round, "# offlock bench: count %d, benchtime %s, seed %d, bench %s\n", o.Count, o.Time, o.Seed, o.Bench)
	if len(o.Arms) > 0 {
		fmt.Fprintf(&f.round, "# arms: %s\n", strings.Join(o.Arms, ", "))
	}
	for _, u := range units {
		fmt.Fprintf(&f.round, "Unit %s better=%s\n", u.unit, u.better)
	}
	return f
}

func (f *file) write(measured [][]*benchfmt.Result) error {
	for _, results := range measured {
		for _, result := range results {
			if err := f.results.Write(result); err != nil {
				return err
			}
		}
	}
	_, err := f.round.WriteTo(f.out)
	return err
}
