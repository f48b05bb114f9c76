package s3_test

import (
	"strings"
	"testing"

	"github.com/offlock/offlock/exporter/s3"
)

// What cannot be meant is an error of New, which says what to do.
func TestBadOptions(t *testing.T) {
	for _, test := range []struct {
		name string
		o    s3.Options
		want string
	}{
		{"no bucket", s3.Options{}, "Bucket"},
		{"format", s3.Options{Bucket: "b", Format: "xml"}, "json, csv or parquet"},
		{"CSV template", s3.Options{Bucket: "b", Format: "csv", CsvTemplate: "{{"}, "template"},
		{"file name", s3.Options{Bucket: "b", Filename: "{{"}, "Filename"},
		{"field of a file name", s3.Options{Bucket: "b", Filename: "{{ .Nothing}}"}, "Nothing"},
		{"long file name", s3.Options{Bucket: "b", S3Path: strings.Repeat("x", 1000)}, "1024"},
		{"compression", s3.Options{Bucket: "b", Compression: "rar"}, "rar"},
		{"Parquet, packed", s3.Options{Bucket: "b", Format: "Parquet", Compression: s3.Gzip}, "ParquetCompressionCodec"},
		{"small parts", s3.Options{Bucket: "b", PartSize: 1}, "PartSize"},
		{"concurrency", s3.Options{Bucket: "b", Concurrency: -1}, "Concurrency"},
		{"timeout", s3.Options{Bucket: "b", Timeout: -1}, "Timeout"},
		{"timeout of an attempt", s3.Options{Bucket: "b", AttemptTimeout: -1}, "AttemptTimeout"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := s3.New(test.o); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want an error that names %q", err, test.want)
			}
		})
	}
}
