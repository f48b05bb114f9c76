package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// cell is what is measured at one go: a benchmark function, with all its sub-benchmarks, on one arm.
type cell struct {
	arm, pkg string
	binary   string
	function string
	others   []string // the other benchmark functions of the binary
}

func (c cell) String() string { return fmt.Sprintf("%s of %s on %s", c.function, c.pkg, c.arm) }

// rounds measures every cell once a round.
type rounds struct {
	cells   []cell
	count   int
	seed    uint64
	measure func(context.Context, cell) (string, error)
	steps   *steps
}

// all runs the rounds and writes each, when it is complete, in the order of the cells, whatever the order was in which they
// ran: so rows and columns come out alike in every file.
func (r *rounds) all(ctx context.Context, f *file) error {
	r.steps.total += r.count * len(r.cells)
	for round := range r.count {
		measured := make([][]*benchfmt.Result, len(r.cells))
		for _, i := range order(len(r.cells), r.seed, round) {
			c := r.cells[i]
			r.steps.next("round %d of %d: %s", round+1, r.count, c)
			output, err := r.measure(ctx, c)
			if err != nil {
				return err
			}
			if measured[i], err = parse(output, c); err != nil {
				return err
			}
		}
		if round == 0 {
			measured = r.dropUnmatched(measured)
		}
		if len(r.cells) == 0 {
			return ErrNoBenchmark
		}
		if err := f.write(measured); err != nil {
			return err
		}
	}
	return nil
}

// dropUnmatched takes the cells out that gave no result, because the names that were asked for are not in them. Which ones
// those are only the binary itself can tell for sure.
func (r *rounds) dropUnmatched(measured [][]*benchfmt.Result) [][]*benchfmt.Result {
	var cells []cell
	var results [][]*benchfmt.Result
	for i, c := range r.cells {
		if len(measured[i]) > 0 {
			cells, results = append(cells, c), append(results, measured[i])
		}
	}
	r.steps.total -= (len(r.cells) - len(cells)) * (r.count - 1)
	r.cells = cells
	return results
}

// order is the order of n cells in a round. It follows from the seed and the round alone.
func order(n int, seed uint64, round int) []int {
	return rand.New(rand.NewPCG(seed, uint64(round))).Perm(n)
}

// parse reads the output of one run and labels its results with the arm.
func parse(output string, c cell) ([]*benchfmt.Result, error) {
	var results []*benchfmt.Result
	reader := benchfmt.NewReader(strings.NewReader("arm: "+c.arm+"\n"+output), "output of "+c.String())
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.Result:
			results = append(results, record.Clone())
		case *benchfmt.SyntaxError:
			return nil, record
		}
	}
	return results, reader.Err()
}
