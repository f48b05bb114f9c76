// Package parquet measures 100,000 events written to a Parquet file: by package
// encode of this project and by the file exporter of go-feature-flag, one after
// the other in one run.
//
//	go test -run '^$' -bench . -count 10 ./parquet
//
// The library's module replaces its Parquet writer by a fork of it, which holds
// for a relay proxy that is built from that module. A service that imports the
// library gets the original, and so does this module. docs/performance.md has the
// numbers against the fork as well.
package parquet
