package tally

import (
	"testing"
)

func TestBucketCountsLateEvents(t *testing.T) {
	client := newS3(t, map[string]string{
		"z": event("a.0") + event("b.0") + event("a.1"),
		"a": event("a.2") + event("b.3") + event("b.1") + event("b.2"), // 1 and 2 of b come after 3
		"m": event("a.4") + event("a.3") + event("c") + event("d.x"),   // 3 of a comes after 4
		"0": event("a.0"),                                              // not known when it was stored
	})
	for name, test := range map[string]struct {
		order []string
		want  int
	}{
		"as stored":    {[]string{"z", "a", "m"}, 3},
		"another":      {[]string{"m", "a", "z"}, 1 + 1 + 2 + 3}, // a.3, a.2, b.1 b.2, a.0 b.0 a.1
		"not an order": {nil, 0},
		"gone objects": {[]string{"none", "a"}, 2},
	} {
		got, err := Bucket(t.Context(), client, "events", test.order)
		if err != nil {
			t.Fatal(err)
		}
		if got.Late != test.want {
			t.Errorf("%s: %d late, want %d", name, got.Late, test.want)
		}
	}
}
