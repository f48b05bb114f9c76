package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchfmt"
)

// fake is a set of binaries whose benchmarks print at once.
type fake struct {
	ran  []string          // cells, in order
	says map[string]string // output by function; else one result
	fail string            // the cell that fails
}

var errFake = errors.New("it panicked")

func (f *fake) measure(_ context.Context, c cell) (string, error) {
	name := c.function + "@" + c.arm
	f.ran = append(f.ran, name)
	if name == f.fail {
		return "", errFake
	}
	if output, ok := f.says[c.function]; ok {
		return output, nil
	}
	return fmt.Sprintf("pkg: example.com/m\nBenchmark%s-2 100 %d ns/op 7 p99.9-ns\nPASS\n", c.function, 10*len(f.ran)), nil
}

func newRounds(f *fake, count int, seed uint64, arms ...string) *rounds {
	r := &rounds{count: count, seed: seed, measure: f.measure, steps: &steps{}}
	for _, arm := range arms {
		for _, function := range []string{"A", "B", "C"} {
			r.cells = append(r.cells, cell{arm: arm, pkg: "./m", function: function})
		}
	}
	return r
}

// Every round runs every cell once, in an order that the seed decides.
func TestRoundsAreComplete(t *testing.T) {
	orders := map[string]bool{}
	for seed := range uint64(4) {
		f := &fake{}
		if err := newRounds(f, 5, seed, "v1", "fork").all(t.Context(), newFile(&bytes.Buffer{}, Options{})); err != nil {
			t.Fatal(err)
		}
		if len(f.ran) != 30 {
			t.Fatalf("seed %d: %d runs, want 30", seed, len(f.ran))
		}
		for round := range slices.Chunk(f.ran, 6) {
			orders[strings.Join(round, " ")] = true
			round = slices.Sorted(slices.Values(round))
			if diff := cmp.Diff([]string{"A@fork", "A@v1", "B@fork", "B@v1", "C@fork", "C@v1"}, round); diff != "" {
				t.Errorf("seed %d: a round is not complete (-want +got):\n%s", seed, diff)
			}
		}
	}
	if len(orders) < 15 { // of 20 rounds, which have 720 orders to choose from
		t.Errorf("20 rounds came in %d orders only", len(orders))
	}
}

func TestSeedRepeatsOrder(t *testing.T) {
	var first, second, other fake
	for _, run := range []struct {
		fake *fake
		seed uint64
	}{{&first, 7}, {&second, 7}, {&other, 8}} {
		if err := newRounds(run.fake, 3, run.seed, "v1", "fork").all(t.Context(), newFile(&bytes.Buffer{}, Options{})); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(first.ran, second.ran); diff != "" {
		t.Errorf("the same seed, another order (-first +second):\n%s", diff)
	}
	if slices.Equal(first.ran, other.ran) {
		t.Error("another seed, the same order")
	}
}

// A file has the cells in their own order, whatever order they ran in, each with its arm, and units that have a direction.
func TestFile(t *testing.T) {
	var out bytes.Buffer
	r := newRounds(&fake{}, 2, 1, "v1", "fork")
	if err := r.all(t.Context(), newFile(&out, Options{Count: 2, Time: "1x", Bench: "."})); err != nil {
		t.Fatal(err)
	}
	reader := benchfmt.NewReader(&out, "file")
	var got []string
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.Result:
			if pkg := record.GetConfig("pkg"); pkg != "example.com/m" {
				t.Errorf("%s has the package %q", record.Name, pkg)
			}
			got = append(got, record.Name.String()+"@"+record.GetConfig("arm"))
		case *benchfmt.SyntaxError:
			t.Error(record)
		}
	}
	round := []string{"A-2@v1", "B-2@v1", "C-2@v1", "A-2@fork", "B-2@fork", "C-2@fork"}
	if diff := cmp.Diff(slices.Concat(round, round), got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	for unit, want := range map[string]int{"p99.9-ns": -1, "max-ns": -1, "delivered-%": +1} {
		if better := reader.Units().GetBetter(unit); better != want {
			t.Errorf("direction of %s is %d, want %d", unit, better, want)
		}
	}
}

// What was cut short is not in the file, and what was complete before is.
func TestRoundsFail(t *testing.T) {
	for _, test := range []struct {
		name string
		fake fake
		want error
	}{
		{"a benchmark fails", fake{fail: "B@fork"}, errFake},
		{"a result is damaged", fake{says: map[string]string{"B": "BenchmarkB-2 many\n"}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			file := newFile(&out, Options{})
			if err := newRounds(&fake{}, 1, 1, "v1", "fork").all(t.Context(), file); err != nil {
				t.Fatal(err)
			}
			before := out.String()
			err := newRounds(&test.fake, 3, 1, "v1", "fork").all(t.Context(), file)
			if err == nil || test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
			if out.String() != before {
				t.Errorf("the round that failed is in the file:\n%s", out.String())
			}
		})
	}
}

// Functions in which nothing has the name that was asked for run in the first round alone; if all are, that is an error.
func TestRoundsUnmatched(t *testing.T) {
	nothing := "testing: warning: no tests to run\nPASS\n"
	f := &fake{says: map[string]string{"A": nothing, "C": nothing}}
	var out bytes.Buffer
	r := newRounds(f, 3, 1, "v1", "fork")
	if err := r.all(t.Context(), newFile(&out, Options{})); err != nil {
		t.Fatal(err)
	}
	if len(f.ran) != 6+2*2 || r.steps.total != len(f.ran) || r.steps.step != len(f.ran) {
		t.Errorf("%d runs, %d of %d steps; want 10", len(f.ran), r.steps.step, r.steps.total)
	}
	if n := strings.Count(out.String(), "BenchmarkB-2"); n != 6 {
		t.Errorf("%d results of B, want 6", n)
	}

	f = &fake{says: map[string]string{"A": nothing, "B": nothing, "C": nothing}}
	out.Reset()
	if err := newRounds(f, 3, 1, "v1").all(t.Context(), newFile(&out, Options{})); !errors.Is(err, ErrNoBenchmark) || out.Len() > 0 {
		t.Errorf("error %v, want %v; written: %q", err, ErrNoBenchmark, out.String())
	}
}
