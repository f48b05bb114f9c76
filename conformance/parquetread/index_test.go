package parquetread

import (
	"errors"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/offlock/offlock/exporter/encode"
)

// Upstream issue 4569: Athena's engine 3 goes by the page index, and that of the
// library's files leads it astray. The library's file is here to show that this
// check would see it.
func TestPageIndex4569(t *testing.T) {
	events := features(25_000)
	ours := openArrow(t, write(t, encode.ParquetOptions{RowGroupBytes: 256 << 10}, events))
	if ours.NumRowGroups() < 2 {
		t.Fatal("one row group shows little: make the batch larger")
	}
	if err := indexFaults(ours); err != nil {
		t.Error(err)
	}
	plainText := events[:0:0]
	for i := 0; i < len(events)/2; i += 10 {
		plainText = append(plainText, events[i])
	}
	if err := indexFaults(openArrow(t, writeLibrary(t, plainText))); err == nil {
		t.Error("the library's file passes too: either it is mended, and this comparison can go, or the check sees nothing")
	}
}

// indexFaults compares where the index says the pages are with where the footer
// says that the column is: one after the other, and nothing between them.
func indexFaults(f *file.Reader) error {
	var faults []error
	for g := range f.NumRowGroups() {
		group := f.MetaData().RowGroup(g)
		index, err := f.GetPageIndexReader().RowGroup(g)
		if err != nil {
			return err
		}
		for c := range group.NumColumns() {
			chunk, err := group.ColumnChunk(c)
			if err != nil {
				return err
			}
			bounds, err := index.GetColumnIndex(c)
			if err != nil {
				return err
			}
			places, err := index.GetOffsetIndex(c)
			if err != nil {
				return err
			}
			locations := places.GetPageLocations()
			next, start := chunk.DataPageOffset(), chunk.DataPageOffset()
			if chunk.HasDictionaryPage() {
				start = chunk.DictionaryPageOffset()
			}
			fault := func(text string, a ...any) {
				faults = append(faults, fmt.Errorf("row group %d, column %s: %s", g, chunk.PathInSchema(), fmt.Sprintf(text, a...)))
			}
			for i, l := range locations {
				if l.GetOffset() != next {
					fault("page %d is said to be at %d, not %d", i, l.GetOffset(), next)
				}
				next = l.GetOffset() + int64(l.GetCompressedPageSize())
			}
			if end := start + chunk.TotalCompressedSize(); next != end {
				fault("the last page ends at %d, the column at %d", next, end)
			}
			if n := len(locations); len(bounds.GetMinValues()) != n || len(bounds.GetMaxValues()) != n || len(bounds.GetNullPages()) != n {
				fault("%d pages, bounds for %d", n, len(bounds.GetMinValues()))
			}
		}
	}
	return errors.Join(faults...)
}
