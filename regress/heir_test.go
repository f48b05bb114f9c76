//go:build unix

package regress

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLeaves(t *testing.T) {
	for _, test := range []struct {
		accounts []Account
		want     bool
	}{
		{nil, false},
		{[]Account{{Pending: 3}}, false}, // in memory, and so gone
		{[]Account{{Spooled: 3}}, false},
		{[]Account{{Pending: 1, Hung: true}, {Spooled: 3, Pending: 3}}, true},
	} {
		if got := leaves(test.accounts); got != test.want {
			t.Errorf("%+v: %v", test.accounts, got)
		}
	}
}

// The next process finds three events, of which it exports two and drops one, and is not stopped before that.
func TestInherit(t *testing.T) {
	result := &sample{accounts: []Account{
		{Exporter: hungExporter, Added: 9, Dropped: 8, Pending: 1, Hung: true},
		{Exporter: s3Exporter, Added: 9, Exported: 6, Pending: 3, Spooled: 2},
	}}
	arm := builtArm{binary: testBinary(t)}
	if err := (&bench{}).inherit(t.Context(), arm, []string{childVariable + "=heir"}, result); err != nil {
		t.Fatal(err)
	}
	want := []Account{
		{Exporter: hungExporter, Added: 9, Dropped: 8, Pending: 1, Hung: true},
		{Exporter: s3Exporter, Added: 9, Exported: 8, Dropped: 1, Spooled: 2, Inherited: 2},
	}
	if diff := cmp.Diff(want, result.accounts); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
	if len(result.trouble) > 0 {
		t.Errorf("trouble: %q", result.trouble)
	}
}

func TestInheritInTrouble(t *testing.T) {
	arm := builtArm{Arm: Arm{Name: exportersName}, binary: testBinary(t)}
	if err := (&bench{}).inherit(t.Context(), arm, []string{childVariable + "=crash"}, &sample{}); err == nil {
		t.Error("a next process that does not start is no error")
	}
	result := &sample{}
	err := (&bench{}).inherit(t.Context(), arm, []string{childVariable + "=unreachable"}, result)
	if err != nil || len(result.trouble) != 1 || !strings.Contains(result.trouble[0], "/stats") {
		t.Errorf("a next process that does not answer: %v, trouble %q", err, result.trouble)
	}
}

func TestAwaitExportedGivesUp(t *testing.T) {
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"exporters":[{"exporter":"s3","pending":1}]}`))
	}))
	defer busy.Close()
	err := awaitExported(t.Context(), busy.URL, 50*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "50ms after its start") {
		t.Errorf("error %v, want one that says how long was waited", err)
	}
}
