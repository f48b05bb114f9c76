package encode

import (
	"bytes"
	"fmt"
	"testing"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
)

// purchases have two columns of which every value is another one, so that a
// dictionary is given up within the row group.
func purchases(n int) []ffexporter.ExportableEvent {
	events := make([]ffexporter.ExportableEvent, n)
	for i := range events {
		user := fmt.Sprintf("user-%032d", i)
		events[i] = ffexporter.TrackingEvent{
			Kind: "tracking", ContextKind: "user", UserKey: user, CreationDate: int64(i), Key: "purchase",
			EvaluationContext: map[string]any{"targetingKey": user, "plan": "pro"},
			TrackingDetails:   map[string]any{"amount": i, "shop": "web"},
		}
	}
	return events
}

// A retry uploads the same bytes, whatever the encoder has done since: nothing
// goes from one file into the next.
func TestParquetSameBytes(t *testing.T) {
	batches := [][]ffexporter.ExportableEvent{purchases(3), purchases(20_000), purchases(1000), nil}
	o := ParquetOptions{RowGroupBytes: 1 << 20, Kind: KindTracking}
	reused := newParquet(t, o)
	for round := range 2 {
		for i, batch := range batches {
			want, got := encodeParquet(t, newParquet(t, o), batch), encodeParquet(t, reused, batch)
			if !bytes.Equal(got, want) {
				t.Fatalf("round %d, batch %d: a used encoder wrote %d bytes, a new one other %d", round, i, len(got), len(want))
			}
			if err := checkPageIndex(got); err != nil {
				t.Fatalf("round %d, batch %d: %v", round, i, err)
			}
		}
	}
}

func newParquet(t testing.TB, o ParquetOptions) *Parquet {
	t.Helper()
	p, err := NewParquet(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func encodeParquet(t testing.TB, p *Parquet, events []ffexporter.ExportableEvent) []byte {
	t.Helper()
	var b bytes.Buffer
	refused, err := p.Encode(&b, events)
	if err != nil || len(refused) > 0 {
		t.Fatalf("refused %d, first %v, error %v", len(refused), refused, err)
	}
	return b.Bytes()
}
