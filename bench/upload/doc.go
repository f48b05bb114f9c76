// Package upload measures what exporting a batch to S3 costs, against the library's own exporter: the time from Export to its
// return, the memory that it takes on the way, and the files that it makes.
//
// Two endpoints stand in for S3. One is a transport in this process that takes the requests as they are sent, without a server: what
// is measured is everything up to the request being sent. The other is a server over TLS that checks framing and checksums.
// Both libraries get the same.
package upload
