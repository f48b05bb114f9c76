package regress

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAddAccounts(t *testing.T) {
	first := []Account{{Exporter: hungExporter, Added: 5, Dropped: 3, Pending: 2, PeakPending: 4, Hung: true},
		{Exporter: s3Exporter, Added: 5, Exported: 5, Spooled: 2, Inherited: 1}}
	second := []Account{{Exporter: hungExporter, Added: 7, Exported: 6, Dropped: 1, PeakPending: 3},
		{Exporter: s3Exporter, Added: 7, Exported: 6, Pending: 1, Spooled: 3, Inherited: 4}}
	all := addAccounts(addAccounts([]Account{}, first), second)
	want := []Account{
		{Exporter: hungExporter, Added: 12, Exported: 6, Dropped: 4, Pending: 2, PeakPending: 4, Hung: true},
		{Exporter: s3Exporter, Added: 12, Exported: 11, Pending: 1, Spooled: 5, Inherited: 5},
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if first[0].Added != 5 {
		t.Errorf("the first round was changed: %+v", first)
	}
	if got := addAccounts([]Account{}, nil); got == nil || len(got) > 0 {
		t.Errorf("of a library that does not count: %#v", got)
	}
}
