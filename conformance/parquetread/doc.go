// Package parquetread reads the Parquet files of package encode with readers that
// share no code with the library that writes them: DuckDB, and the Go module of
// Apache Arrow. It also holds the files against those of go-feature-flag's own
// file exporter: the same columns, but a page index that is right.
//
//	go test ./parquetread
//
// DuckDB comes as a static library and needs cgo; without it that part is skipped,
// with a word, and Arrow reads alone.
package parquetread
