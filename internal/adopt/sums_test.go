package adopt

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAddSums(t *testing.T) {
	const (
		before = "github.com/a/a v1.0.0 h1:a=\n" +
			"github.com/thomaspoignant/go-feature-flag v1.52.1/go.mod h1:old=\n" +
			"github.com/thomaspoignant/go-feature-flag v1.55.2 h1:x=\n" +
			"github.com/thomaspoignant/go-feature-flag v1.55.2/go.mod h1:y=\n" +
			"github.com/thomaspoignant/go-feature-flag/modules/core v0.7.2 h1:z=\n" +
			"github.com/z/z v1.0.0 h1:z=\n"
	)
	lost := sumLines([]byte(before))
	if len(lost) != 3 {
		t.Fatalf("sumLines = %q, want the three lines of go-feature-flag itself", lost)
	}
	dropped := before
	for _, l := range lost {
		dropped = strings.Replace(dropped, l+"\n", "", 1)
	}
	for _, tc := range []struct{ name, have, want string }{
		{"all dropped", dropped, before},
		{"none dropped", before, before},
		{"one dropped", strings.Replace(before, lost[1]+"\n", "", 1), before},
		{"nothing left", "", strings.Join(lost, "\n") + "\n"},
		{"windows", strings.ReplaceAll(dropped, "\n", "\r\n"), strings.ReplaceAll(before, "\n", "\r\n")},
		{"no final line end", strings.TrimSuffix(dropped, "\n"), strings.TrimSuffix(before, "\n")},
		{"belongs at the end, no final line end", "github.com/a/a v1.0.0 h1:a=", "github.com/a/a v1.0.0 h1:a=\n" + strings.Join(lost, "\n")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, _ := addSums([]byte(tc.have), lost)
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Errorf("after addSums (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMoved(t *testing.T) {
	got, err := moved(
		[]byte("module m\ngo 1.25\nrequire (\n a.com/a v1.0.0\n b.com/b v1.0.0\n)\n"),
		[]byte("module m\ngo 1.26\nrequire (\n a.com/a v1.1.0\n c.com/c v1.0.0\n)\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Moved{{"a.com/a", "v1.0.0", "v1.1.0"}, {"b.com/b", "v1.0.0", ""}, {"c.com/c", "", "v1.0.0"}, {"go", "1.25", "1.26"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("moved (-want +got):\n%s", diff)
	}
}
