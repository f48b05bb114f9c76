package faultproxy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What names tell: which uploads were given up, which came again as they were, and in what order objects came to be.
func TestNames(t *testing.T) {
	p, client := newS3(t, "events")
	try := func(key, body string, f Faults) {
		t.Helper()
		mustSet(t, p, f)
		if err := put(t.Context(), client, "events", key, body); (err != nil) != (f.Status != 0) {
			t.Fatalf("%s with %+v: %v", key, f, err)
		}
	}
	denied := Faults{Status: 403, Code: "AccessDenied"}
	try("same", "x", denied)
	try("abandoned", "x", denied)
	try("changed", "x", denied)
	try("changed", "y", Faults{})
	try("well", "x", Faults{})
	try("same", "x", Faults{})
	try("well", "x", Faults{}) // once more is no later object

	want := Counts{Puts: 7, FailedPuts: 3, FailedNames: 3, AbandonedNames: 1, ChangedNames: 1}
	if diff := cmp.Diff(want, p.Counts("events")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"changed", "well", "same"}, p.Stored("events")); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	if got := p.Stored("other"); len(got) != 0 {
		t.Errorf("another bucket holds %q", got)
	}
}
