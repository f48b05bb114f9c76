package bench

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/offlock/offlock/regress"
)

func TestOptions(t *testing.T) {
	for _, test := range []struct {
		options Options
		option  string // that is refused; empty: none
	}{
		{Options{}, ""},
		{Options{Bench: "A/(b|c)=1$", Count: 1, Time: "100x", CPU: "1,2"}, ""},
		{Options{Time: "1.5s", CPU: "4"}, ""},
		{Options{Bench: "A("}, "bench"},
		{Options{Count: -1}, "count"},
		{Options{Time: "fast"}, "benchtime"},
		{Options{Time: "0x"}, "benchtime"},
		{Options{Time: "-1s"}, "benchtime"},
		{Options{CPU: "0"}, "cpu"},
		{Options{CPU: "1,"}, "cpu"},
	} {
		_, err := test.options.checked()
		var wrong *OptionError
		switch {
		case test.option == "" && err != nil:
			t.Errorf("%+v: %v", test.options, err)
		case test.option != "" && (!errors.As(err, &wrong) || wrong.Option != test.option):
			t.Errorf("%+v: error %v, want one of %s", test.options, err, test.option)
		}
	}
	got, err := Options{}.checked()
	if want := (Options{Bench: ".", Count: DefaultCount, Time: DefaultTime}); err != nil || !cmp.Equal(want, got) {
		t.Errorf("defaults %+v, %v; want %+v", got, err, want)
	}
}

func TestPick(t *testing.T) {
	names := func(arms []Arm) string {
		var all []string
		for _, arm := range arms {
			all = append(all, arm.Name)
		}
		return strings.Join(all, " ")
	}
	for _, test := range []struct {
		names []string
		want  string
	}{
		{nil, "v1.52.1 v1.55.2 fork store peers"},
		{[]string{"fork", "v1.52.1"}, "v1.52.1 fork"},
		{[]string{"peers", "peers"}, "peers"},
	} {
		if got, err := pick(test.names); err != nil || names(got) != test.want {
			t.Errorf("pick(%v) = %s, %v; want %s", test.names, names(got), err, test.want)
		}
	}
	var unknown *regress.UnknownError
	if _, err := pick([]string{"fork", "v0"}); !errors.As(err, &unknown) || unknown.Name != "v0" {
		t.Errorf("error %v, want one of v0", err)
	}
}
