// Package s3test is an S3 endpoint in memory for tests, about as strict as S3 itself in what this module's exporter relies on: it
// takes the framing of aws-chunked bodies apart and refuses what is torn, requires a checksum of each object and part and refuses
// what does not match, knows multipart uploads with their smallest part, and the condition If-None-Match: *.
//
// It is a handler, so that it runs over TLS ([net/http/httptest.NewTLSServer]), over plain HTTP, or behind a proxy that breaks
// things. It checks no signatures, keeps everything in memory, and knows path-style addresses alone.
package s3test
