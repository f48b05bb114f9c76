package encode

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
)

// Athena's engine 3 reads by the page index wherever a query compares a column
// with a value. Upstream issue 4569: the library's files had sizes without the
// page headers in it and an entry for a dictionary page, and such queries failed.
func TestParquetPageIndex4569(t *testing.T) {
	file := encodeParquet(t, newParquet(t, ParquetOptions{RowGroupBytes: 1 << 20}), indexed())
	f := openParquet(t, file)
	pages := 0
	for _, o := range f.OffsetIndexes() {
		pages = max(pages, len(o.PageLocations))
	}
	if groups := len(f.RowGroups()); groups < 2 || pages < 2 {
		t.Fatalf("%d row groups of at most %d pages a column show little: make the batch larger", groups, pages)
	}
	if err := checkPageIndex(file); err != nil {
		t.Error(err)
	}
}

// The check above sees what was wrong there, and whatever else can be.
func TestParquetPageIndexFaultsAreSeen(t *testing.T) {
	file := encodeParquet(t, newParquet(t, ParquetOptions{}), indexed()[:2000])
	const user = 2
	for name, spoil := range map[string]func(*format.ColumnIndex, *format.OffsetIndex){
		"size without header": func(_ *format.ColumnIndex, o *format.OffsetIndex) { o.PageLocations[0].CompressedPageSize -= 20 },
		"entry for the dictionary": func(c *format.ColumnIndex, o *format.OffsetIndex) {
			c.MinValues = append([][]byte{nil}, c.MinValues...)
			c.MaxValues = append([][]byte{nil}, c.MaxValues...)
			c.NullPages = append([]bool{false}, c.NullPages...)
		},
		"offset":        func(_ *format.ColumnIndex, o *format.OffsetIndex) { o.PageLocations[0].Offset += 3 },
		"first row":     func(_ *format.ColumnIndex, o *format.OffsetIndex) { o.PageLocations[0].FirstRowIndex++ },
		"upper bound":   func(c *format.ColumnIndex, _ *format.OffsetIndex) { c.MaxValues[0] = []byte("a") },
		"lower bound":   func(c *format.ColumnIndex, _ *format.OffsetIndex) { c.MinValues[0] = []byte("\xff") },
		"null page":     func(c *format.ColumnIndex, _ *format.OffsetIndex) { c.NullPages[0] = true },
		"count of null": func(c *format.ColumnIndex, _ *format.OffsetIndex) { c.NullCounts[0]++ },
	} {
		f := openParquet(t, file)
		spoil(&f.ColumnIndexes()[user], &f.OffsetIndexes()[user])
		if err := checkColumn(file, f, 0, user); err == nil {
			t.Errorf("%s: not seen", name)
		}
	}
}

// indexed has long values that differ late, a column that is null for pages on
// end, and one that grows.
func indexed() []ffexporter.ExportableEvent {
	events := make([]ffexporter.ExportableEvent, 30_000)
	long := strings.Repeat("\xf4\x8f\xbf\xbf", 20)
	for i := range events {
		e := ffexporter.FeatureEvent{
			Kind: "feature", UserKey: fmt.Sprintf("%s%09d", long, i*7919%len(events)), CreationDate: int64(i),
			Key: "flag", Variation: "on", Value: i, Default: i%3 == 0,
		}
		if i > len(events)/2 {
			e.Metadata = map[string]any{"request": i, "zone": "a"}
		}
		events[i] = e
	}
	return events
}

// checkPageIndex compares every entry of the page index with the page that it
// is about.
func checkPageIndex(file []byte) error {
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return err
	}
	var faults []error
	for g, group := range f.RowGroups() {
		for c := range group.ColumnChunks() {
			faults = append(faults, checkColumn(file, f, g, c))
		}
	}
	return errors.Join(faults...)
}

func checkColumn(file []byte, f *parquet.File, g, c int) error {
	leaves := len(f.RowGroups()[g].ColumnChunks())
	meta := f.Metadata().RowGroups[g].Columns[c].MetaData
	bounds, places := f.ColumnIndexes()[g*leaves+c], f.OffsetIndexes()[g*leaves+c].PageLocations
	fault := func(page int, text string, a ...any) error {
		return fmt.Errorf("row group %d, column %v, page %d: %s", g, meta.PathInSchema, page, fmt.Sprintf(text, a...))
	}
	n := len(places)
	if len(bounds.MinValues) != n || len(bounds.MaxValues) != n || len(bounds.NullPages) != n || len(bounds.NullCounts) != n {
		return fault(0, "%d places, %d lower and %d upper bounds, %d marks, %d null counts", n,
			len(bounds.MinValues), len(bounds.MaxValues), len(bounds.NullPages), len(bounds.NullCounts))
	}

	pages := f.RowGroups()[g].ColumnChunks()[c].Pages()
	defer pages.Close()
	next, row := meta.DataPageOffset, int64(0)
	for i, place := range places {
		if place.Offset != next || place.FirstRowIndex != row {
			return fault(i, "is said to be at %d from row %d, is at %d from row %d", place.Offset, place.FirstRowIndex, next, row)
		}
		header, size, err := pageHeader(file[place.Offset:])
		if err != nil {
			return fault(i, "header: %v", err)
		}
		if size += int(header.CompressedPageSize); header.Type != format.DataPage || int(place.CompressedPageSize) != size {
			return fault(i, "%v of %d bytes, said to have %d", header.Type, size, place.CompressedPageSize)
		}
		page, err := pages.ReadPage()
		if err != nil {
			return fault(i, "%v", err)
		}
		if err := checkBounds(page, bounds, i); err != nil {
			return fault(i, "%v", err)
		}
		next += int64(size)
		row += page.NumRows()
		parquet.Release(page)
	}
	start := meta.DataPageOffset
	if meta.DictionaryPageOffset != 0 {
		start = meta.DictionaryPageOffset
	}
	if rows := f.RowGroups()[g].NumRows(); row != rows || next != start+meta.TotalCompressedSize {
		return fault(n, "pages end at row %d of %d, byte %d of %d", row, rows, next, start+meta.TotalCompressedSize)
	}
	return nil
}

func pageHeader(b []byte) (h format.PageHeader, size int, err error) {
	r := bytes.NewReader(b)
	err = thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(r)).Decode(&h)
	return h, len(b) - r.Len(), err
}

func checkBounds(page parquet.Page, bounds format.ColumnIndex, i int) error {
	values := make([]parquet.Value, page.NumValues())
	if n, err := page.Values().ReadValues(values); n < len(values) {
		return fmt.Errorf("%d of %d values: %w", n, len(values), err)
	}
	nulls := int64(0)
	for _, v := range values {
		if v.IsNull() {
			nulls++
			continue
		}
		low, high := v.Kind().Value(bounds.MinValues[i]), v.Kind().Value(bounds.MaxValues[i])
		if compareValues(v, low) < 0 || compareValues(v, high) > 0 {
			return fmt.Errorf("value %q is not from %q to %q", v, low, high)
		}
	}
	if nulls != bounds.NullCounts[i] || (nulls == int64(len(values))) != bounds.NullPages[i] {
		return fmt.Errorf("%d of %d values are null, said to be %d, and all: %v", nulls, len(values), bounds.NullCounts[i], bounds.NullPages[i])
	}
	return nil
}

func compareValues(a, b parquet.Value) int {
	switch a.Kind() {
	case parquet.ByteArray:
		return bytes.Compare(a.ByteArray(), b.ByteArray())
	case parquet.Boolean:
		return cmp.Compare(a.Uint64(), b.Uint64())
	}
	return cmp.Compare(a.Int64(), b.Int64())
}
