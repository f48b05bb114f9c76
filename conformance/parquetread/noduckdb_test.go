//go:build !cgo

package parquetread

import "testing"

func TestDuckDBReads(t *testing.T) {
	t.Skip("cgo is off, and DuckDB is a C++ library: the files were NOT read by it, only by Arrow; set CGO_ENABLED=1 and have a C compiler")
}
