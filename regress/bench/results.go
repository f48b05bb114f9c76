package bench

import (
	"errors"
	"fmt"
	"io"

	"golang.org/x/perf/benchfmt"
)

// Results are those of one or more benchmark files.
type Results struct {
	all   []*benchfmt.Result
	units benchfmt.UnitMetadataMap
}

// ErrNotResults is the error of reading what holds no benchmark result, or a damaged one.
var ErrNotResults = errors.New("not benchmark results")

// Read reads what [Run] wrote, or `go test -bench` printed. The name is for errors: [ErrNotResults], wrapped with the place,
// or the reader's.
func Read(r io.Reader, name string) (*Results, error) {
	return collect(benchfmt.NewReader(r, name))
}

// ReadFiles reads files one after the other, as if they were one; every result also has the key ".file", the file's path.
// Errors are those of [Read] and of opening the files.
func ReadFiles(paths ...string) (*Results, error) {
	return collect(&benchfmt.Files{Paths: paths})
}

type records interface {
	Scan() bool
	Result() benchfmt.Record
	Err() error
}

func collect(source records) (*Results, error) {
	results := &Results{units: benchfmt.UnitMetadataMap{}}
	for source.Scan() {
		switch record := source.Result().(type) {
		case *benchfmt.Result:
			results.all = append(results.all, record.Clone())
		case *benchfmt.UnitMetadata:
			unit := *record
			results.units[unit.UnitMetadataKey] = &unit
		case *benchfmt.SyntaxError:
			return nil, fmt.Errorf("%w: %w", ErrNotResults, record)
		}
	}
	if err := source.Err(); err != nil {
		return nil, err
	}
	if len(results.all) == 0 {
		return nil, fmt.Errorf("%w: there is not one line of them", ErrNotResults)
	}
	return results, nil
}
