package parquetread

import (
	"context"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/google/go-cmp/cmp"
)

func TestArrowReads(t *testing.T) {
	for name, b := range batches {
		t.Run(name, func(t *testing.T) {
			got := readArrow(t, write(t, b.options, b.events))
			if diff := cmp.Diff(rows(t, b.events), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func openArrow(t *testing.T, name string) *file.Reader {
	t.Helper()
	f, err := file.OpenParquetFile(name, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func readArrow(t *testing.T, name string) []row {
	t.Helper()
	r, err := pqarrow.NewFileReader(openArrow(t, name), pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	table, err := r.ReadTable(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	out := make([]row, table.NumRows())
	for i := range out {
		out[i] = row{}
	}
	for c := range int(table.NumCols()) {
		column := table.Column(c)
		at := 0
		for _, chunk := range column.Data().Chunks() {
			for i := range chunk.Len() {
				out[at][column.Name()] = arrowCell(t, chunk, i)
				at++
			}
		}
	}
	return out
}

func arrowCell(t *testing.T, column arrow.Array, i int) any {
	if column.IsNull(i) {
		return nil
	}
	switch column := column.(type) {
	case *array.String:
		return column.Value(i)
	case *array.Int64:
		return column.Value(i)
	case *array.Boolean:
		return column.Value(i)
	case *array.Map:
		out := map[string]string{}
		from, to := column.ValueOffsets(i)
		for j := int(from); j < int(to); j++ {
			out[column.Keys().(*array.String).Value(j)] = column.Items().(*array.String).Value(j)
		}
		return out
	}
	t.Fatalf("a column of %v", column.DataType())
	return nil
}
