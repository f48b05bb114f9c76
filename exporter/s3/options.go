package s3

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/offlock/offlock/exporter/encode"
)

const (
	// DefaultPartSize is the smallest part that S3 takes, in bytes: the memory of an upload is a multiple of it.
	DefaultPartSize = 5 << 20
	// DefaultConcurrency is how many parts of an object are sent at the same time.
	DefaultConcurrency = 1
	// DefaultTimeout bounds an Export.
	DefaultTimeout = 2 * time.Minute
	// DefaultAttemptTimeout bounds one attempt of one request: at 30 s a part of the default size needs 175 kB/s.
	DefaultAttemptTimeout = 30 * time.Second
	// MaxRemembered is how many failed batches are remembered for a retry under the plain library, which has no name for
	// a batch. Arbitrary; one is about 200 bytes.
	MaxRemembered = 100
)

// Compression is how an object is compressed. Its extension is added to the name, after that of the format, which is what
// Athena, DuckDB and Spark go by; no Content-Encoding is set, so that nothing on the way unpacks what is named .gz.
type Compression string

// The compressions.
const (
	None Compression = ""     // the default
	Gzip Compression = "gzip" // .gz
	Zstd Compression = "zstd" // .zst
)

// Options are the settings of an [Exporter]. Only Bucket has no default. The names that the library's s3exporterv2 has
// mean what they mean there.
type Options struct {
	// Bucket is the name of the bucket, or the ARN of an access point.
	Bucket string
	// AwsConfig is the configuration of the AWS SDK. Nil is the default chain: environment, shared files, role of the machine.
	// It is looked up at the first Export, and again at the next one if that failed.
	AwsConfig *aws.Config
	// S3ClientOptions change the client: endpoint, path style, retries, HTTP client, middleware.
	S3ClientOptions []func(*awss3.Options)
	// TransferOptions change the transfer manager, for example its checksums for a service that knows none. Part size and
	// concurrency are better set below, where they are checked.
	TransferOptions []func(*transfermanager.Options)
	// Object changes the input of each upload: encryption, storage class, tags, request payer, metadata, content type. It must
	// leave the body alone, and the key: whoever changes that names the objects. It may be called from several goroutines.
	Object func(*transfermanager.UploadObjectInput)

	// Format is json, csv or parquet, in either case. The default is json; another word is an error.
	Format string
	// CsvTemplate is the template of a CSV line. The default is the one of exporter/encode.
	CsvTemplate string
	// ParquetCompressionCodec is the compression inside a Parquet file. The default is SNAPPY.
	ParquetCompressionCodec string
	// Encoder, if set, takes the place of the one that Format, CsvTemplate and ParquetCompressionCodec stand for.
	Encoder encode.Encoder
	// Compression is none, gzip or zstd. With Parquet, which compresses by itself, it is an error.
	Compression Compression

	// S3Path is the folder of the objects. Slashes around it do not count; without a folder, no name begins with one.
	S3Path string
	// Filename is the template of the name in that folder; it may contain slashes. The default is [DefaultFilename], and
	// [HiveFilename] is the one for partitioned tables. Its fields are Hostname, Timestamp (seconds since 1970) and Format, as
	// in the library; Year, Month, Day and Hour, in UTC and with leading zeros; First and Last, the batch's offsets in the
	// process that first held it, and Instance, the name of that process. All are settled when the batch is handed over first.
	//
	// A template that would give two batches, or two processes, the same name gets the missing fields added: -Instance-First-Last
	// before the first dot of the last element of the name. A broken template is an error.
	Filename string
	// Instance is what {{ .Instance}} shows for batches that come without one, as those of the plain library do. No two processes
	// may have the same, now or later. The default is random.
	Instance string
	// IfNoneMatch has an object stored only if there is none of its name ("If-None-Match: *"). That there is one is a success
	// when an earlier attempt of the batch may have stored it; else the batch gets another name, and a warning is logged.
	IfNoneMatch bool

	// PartSize is the size in bytes from which on an object is sent in parts. 0 is [DefaultPartSize], and less than that an error.
	PartSize int64
	// Concurrency is how many parts are sent at the same time. 0 is [DefaultConcurrency]; a negative one is an error.
	Concurrency int
	// Timeout bounds an Export, and so does an earlier deadline of its context. 0 is [DefaultTimeout]; a negative one is an error.
	Timeout time.Duration
	// AttemptTimeout bounds one attempt of a request: a connection that stalls is given up, and the request tried again. 0 is
	// [DefaultAttemptTimeout]; a negative one is an error.
	AttemptTimeout time.Duration

	// OnRefused is told of each event that cannot be encoded, once its batch has left. It may be called from several goroutines.
	OnRefused func(encode.Refused)
}

// resolve puts the defaults in and reports what cannot be meant.
func (o Options) resolve() (Options, error) {
	if o.Bucket == "" {
		return o, errors.New("s3: no bucket: set Bucket")
	}
	o.S3ClientOptions, o.TransferOptions = slices.Clone(o.S3ClientOptions), slices.Clone(o.TransferOptions)
	for name, d := range map[string]struct {
		value    *time.Duration
		standard time.Duration
	}{
		"Timeout": {&o.Timeout, DefaultTimeout}, "AttemptTimeout": {&o.AttemptTimeout, DefaultAttemptTimeout},
	} {
		if *d.value < 0 {
			return o, fmt.Errorf("s3: %s is %v: give a positive time, or 0 for %v", name, *d.value, d.standard)
		} else if *d.value == 0 {
			*d.value = d.standard
		}
	}
	if o.PartSize == 0 {
		o.PartSize = DefaultPartSize
	}
	if o.PartSize < DefaultPartSize {
		return o, fmt.Errorf("s3: PartSize is %d bytes: S3 takes no part of less than %d", o.PartSize, DefaultPartSize)
	}
	if o.Concurrency < 0 {
		return o, fmt.Errorf("s3: Concurrency is %d: give a positive number, or 0 for %d", o.Concurrency, DefaultConcurrency)
	}
	if o.Concurrency == 0 {
		o.Concurrency = DefaultConcurrency
	}
	if o.Encoder == nil {
		var err error
		if o.Encoder, err = newEncoder(o); err != nil {
			return o, err
		}
	}
	return o, o.Compression.check(o.Encoder.Format())
}

// newEncoder is the encoder that the library's options stand for.
func newEncoder(o Options) (encode.Encoder, error) {
	switch format := strings.ToLower(o.Format); format {
	case "", "json":
		return encode.JSON{}, nil
	case "csv":
		return encode.NewCSV(encode.CSVOptions{Template: o.CsvTemplate})
	case "parquet":
		return encode.NewParquet(encode.ParquetOptions{CompressionCodec: o.ParquetCompressionCodec})
	default:
		return nil, fmt.Errorf("s3: Format is %q: give json, csv or parquet", o.Format)
	}
}
