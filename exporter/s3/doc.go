// Package s3 exports go-feature-flag events to Amazon S3, or to anything that speaks its protocol: one object a batch,
// encoded and sent in one pass, with no file in between.
//
// It is for the plain library and for the fork. An [Exporter] is used like the library's own s3exporterv2, whose option
// names it keeps, by itself or inside exporter.Async, which takes the upload off the caller:
//
//	upload, err := s3.New(s3.Options{Bucket: "flags", S3Path: "events", Filename: s3.HiveFilename})
//	...
//	async, err := exporter.NewAsync(upload, exporter.AsyncOptions{})
//
// # Promises
//
//   - No batch overwrites another one, whatever template the names come from: see [Options.Filename].
//   - A retry of a batch has the name of its first attempt, so an upload whose answer was lost is replaced and not
//     repeated. That holds as long as the batch comes back as it was: under exporter.Async, exporter/spool and the fork
//     always; under the plain library if the identical batch is handed over again (it adds what was collected meanwhile,
//     if anything was). For that, the last [MaxRemembered] batches that failed are remembered.
//   - Export returns nil when the object is stored, and only then. An event that cannot be encoded is set aside, counted and
//     reported; the others of its batch leave.
//   - Export ends with its context, and after [Options.Timeout] at the latest. What was begun of a multipart upload is
//     aborted in that time, or, if the context was cancelled, within half a second of it.
//   - A start that failed (credentials, region) is tried again at the next Export.
//   - All methods may be called at the same time, by several data exporters too.
//
// # Memory
//
// One upload holds at most
//
//	PartSize × (Concurrency + 2) + 512 KiB + the buffers of the encoder and of the compression
//
// and while its first part is being collected, twice PartSize, which is less. With the defaults that is 15.5 MiB for a batch
// of any size, and for a batch that is smaller than PartSize about twice its encoded size. JSON and CSV take some 64 KiB
// more, gzip 1 MiB, zstd 2 MiB; Parquet keeps a row group, as exporter/encode says. An object has at most 10,000 parts: 50 GB
// with the default part size.
//
// # Retries
//
// Each request is tried up to 8 times, with full jitter below a bound that doubles from 250 ms to 20 s; a Retry-After of the
// server is a lower bound, and one of more than 20 s ends the Export with an eventstore.RetryAfter for whoever retries the
// batch. After a throttled request (503 SlowDown) the client limits its own rate, beginning at one request in two
// seconds and growing with each that succeeds. A bucket of tokens bounds how many retries all uploads together may make
// in an outage. A Retryer or retry mode that is set in AwsConfig or in S3ClientOptions takes the place of all this.
//
// # Permissions and costs
//
// Needed are s3:PutObject and s3:AbortMultipartUpload on the objects; with SSE-KMS also kms:GenerateDataKey, and
// kms:Decrypt for multipart uploads. Nothing is read or listed. A batch is one PUT request, or two and one a part when it is
// larger than PartSize. A process that is killed during a multipart upload leaves its parts behind, which cost
// storage until they are removed: give the bucket a lifecycle rule with AbortIncompleteMultipartUpload.
//
// # Limits
//
// The date in a name is the one when the batch was first handed over, in UTC, not that of its events: a partition of an hour
// has events of up to a flush interval before it. In a bucket with versioning a replaced object stays as an old version.
// Some services that speak the protocol know no checksums, or not in trailers: see [Options.TransferOptions].
package s3
