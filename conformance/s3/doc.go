// Package s3 holds the tests of exporter/s3 against an S3 server that others wrote, over plain HTTP, behind a proxy that throttles,
// stalls, resets, and cuts what passes.
package s3
