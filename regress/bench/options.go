package bench

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/offlock/offlock/regress"
)

const (
	// DefaultCount gives an interval (which takes 6) and a test of the difference that a few disturbed rounds do not spoil.
	DefaultCount = 10
	// DefaultTime is short: many short rounds, spread over the run, say more than a few long ones.
	DefaultTime = "200ms"
	// processBound ends a benchmark that hangs. No function takes a tenth of it at the default time.
	processBound = 20 * time.Minute
)

// Options of [Run]. The zero value runs every benchmark on every arm, from a clone in the working directory.
type Options struct {
	Dir      string                 // in the clone; empty: the working directory
	Arms     []string               // names; none: all
	Bench    string                 // as `go test -bench` takes it; empty: every benchmark
	Count    int                    // rounds; 0: [DefaultCount]
	Time     string                 // for each benchmark, as `go test -benchtime` takes it; empty: [DefaultTime]
	CPU      string                 // as `go test -cpu` takes it; empty: as many as there are
	Seed     uint64                 // of the order within the rounds
	Progress func(regress.Progress) // called before every step, never concurrently; may be nil
}

// OptionError is a value in the [Options] or a [Layout] that cannot be used.
type OptionError struct {
	Option string // "count"
	Value  string // as it was given
	Reason string
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("%s %q: %s", e.Option, e.Value, e.Reason)
}

// ErrNoBenchmark is the error of [Run] when no benchmark of the chosen arms has a name that was asked for.
var ErrNoBenchmark = errors.New("no benchmark has such a name")

// checked returns the options with the defaults filled in, or an *[OptionError].
func (o Options) checked() (Options, error) {
	if o.Bench == "" {
		o.Bench = "."
	}
	if _, err := regexp.Compile(o.Bench); err != nil {
		return o, &OptionError{"bench", o.Bench, err.Error()}
	}
	if o.Count == 0 {
		o.Count = DefaultCount
	}
	if o.Count < 0 {
		return o, &OptionError{"count", strconv.Itoa(o.Count), "must be at least 1"}
	}
	if o.Time == "" {
		o.Time = DefaultTime
	}
	if !isBenchTime(o.Time) {
		return o, &OptionError{"benchtime", o.Time, "is neither a duration such as 200ms nor a number of iterations such as 100x"}
	}
	if o.CPU != "" {
		for _, part := range strings.Split(o.CPU, ",") {
			if n, err := strconv.Atoi(strings.TrimSpace(part)); err != nil || n < 1 {
				return o, &OptionError{"cpu", o.CPU, "is not a list of numbers above 0"}
			}
		}
	}
	return o, nil
}

func isBenchTime(text string) bool {
	if times, ok := strings.CutSuffix(text, "x"); ok {
		n, err := strconv.Atoi(times)
		return err == nil && n > 0
	}
	d, err := time.ParseDuration(text)
	return err == nil && d > 0
}
