package s3

import (
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// zstdWindow bounds what a zstd encoder keeps. Events of a batch resemble their neighbours, so more gains little.
const zstdWindow = 512 << 10

func (c Compression) check(format string) error {
	switch c {
	case None:
		return nil
	case Gzip, Zstd:
		if format == "parquet" {
			return fmt.Errorf("s3: Compression is %q, but Parquet compresses inside the file: set ParquetCompressionCodec", c)
		}
		return nil
	default:
		return fmt.Errorf("s3: Compression is %q: give none (%q), %q or %q", c, None, Gzip, Zstd)
	}
}

func (c Compression) extension() string {
	return map[Compression]string{Gzip: ".gz", Zstd: ".zst"}[c]
}

// contentType is the type of an object that would have the given one without compression.
func (c Compression) contentType(plain string) string {
	switch c {
	case Gzip:
		return "application/gzip"
	case Zstd:
		return "application/zstd"
	default:
		return plain
	}
}

// resetWriter is a compressor, which is much to make and can be used again.
type resetWriter interface {
	io.WriteCloser
	Reset(io.Writer)
}

var compressors = map[Compression]*sync.Pool{
	Gzip: {New: func() any {
		w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // an error is for other levels
		return w
	}},
	Zstd: {New: func() any {
		w, _ := zstd.NewWriter(nil, // an error is for other options
			zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true))
		return w
	}},
}

// to has write write through the compression to w, and ends the stream if write does not fail.
func (c Compression) to(w io.Writer, write func(io.Writer) error) error {
	pool, ok := compressors[c]
	if !ok {
		return write(w)
	}
	compressor := pool.Get().(resetWriter)
	compressor.Reset(w)
	err := write(compressor)
	if err == nil {
		err = compressor.Close()
	}
	compressor.Reset(nil) // so that the pool keeps no hold of w
	pool.Put(compressor)
	return err
}
