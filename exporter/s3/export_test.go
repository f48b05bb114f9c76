package s3_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager/types"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/exporter/encode"
	"github.com/offlock/offlock/exporter/s3"
)

// What is stored is what the library would have written, sent in one piece or in parts, under checksums that the endpoint has
// checked, and no file is made.
func TestExport(t *testing.T) {
	for _, test := range []struct {
		name        string
		events      []ffexporter.ExportableEvent
		compression s3.Compression
		parts       int // 0: in one piece
		requests    []string
	}{
		{"one event", events(0, 1), s3.None, 0, []string{"PutObject"}},
		{"more than is collected first", events(0, 5_000), s3.None, 0, []string{"PutObject"}},
		{"more than two parts", large(0, 1_500), s3.None, 3, []string{
			"CreateMultipartUpload", "UploadPart", "UploadPart", "UploadPart", "CompleteMultipartUpload"}},
		{"gzip", large(0, 100), s3.Gzip, 0, []string{"PutObject"}},
		{"zstd", large(0, 100), s3.Zstd, 0, []string{"PutObject"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			e := start(t)
			x := e.exporter(t, func(o *s3.Options) { o.Compression = test.compression })
			if err := x.Export(context.Background(), e.logger, test.events); err != nil {
				t.Fatal(err)
			}
			objects := e.Objects()
			if len(objects) != 1 {
				t.Fatalf("%d objects", len(objects))
			}
			for key, o := range objects {
				if !bytes.Equal(unpacked(t, key, o.Body), lines(t, test.events)) {
					t.Error("the object differs from what the library writes")
				}
				if o.Parts != test.parts || o.Header.Get("Content-Encoding") == "gzip" {
					t.Errorf("%d parts, want %d; headers %v", o.Parts, test.parts, o.Header)
				}
				stats := x.Stats()
				want := s3.Stats{
					Objects: 1, Events: int64(len(test.events)), Bytes: int64(len(o.Body)), Requests: int64(len(test.requests)),
				}
				if test.parts > 0 {
					want.Multipart = 1
				}
				if diff := cmp.Diff(want, stats); diff != "" {
					t.Error(diff)
				}
			}
			if got := e.Requests(); !slices.Equal(got, test.requests) {
				t.Errorf("requests %v, want %v", got, test.requests)
			}
			if p := e.Problems(); len(p) != 0 {
				t.Error(p)
			}
			if files, err := filepath.Glob(os.TempDir() + "/*"); err != nil || len(files) != 0 {
				t.Error(files, err)
			}
		})
	}
}

// unpacked is the body without the compression that the name tells of.
func unpacked(t *testing.T, name string, body []byte) []byte {
	t.Helper()
	var (
		in  io.Reader = bytes.NewReader(body)
		err error
	)
	switch {
	case strings.HasSuffix(name, ".json.gz"):
		in, err = gzip.NewReader(in)
	case strings.HasSuffix(name, ".json.zst"):
		var d *zstd.Decoder
		d, err = zstd.NewReader(in)
		defer d.Close()
		in = d
	case !strings.HasSuffix(name, ".json"):
		t.Fatalf("the name %q has no extension", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// Over TLS the checksums are in the trailer, which the endpoint has compared with the bytes.
func TestExportSendsTrailer(t *testing.T) {
	var trailers []string
	e := start(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			trailers = append(trailers, r.Header.Get("X-Amz-Trailer"))
			next.ServeHTTP(w, r)
		})
	})
	if err := e.exporter(t).Export(context.Background(), e.logger, events(0, 10)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(trailers, []string{"x-amz-checksum-crc32"}) {
		t.Errorf("trailers %q", trailers)
	}
}

// An object has what its hook asked for, in one piece or in parts.
func TestExportObject(t *testing.T) {
	for _, n := range []int{1, 700} {
		e := start(t)
		x := e.exporter(t, func(o *s3.Options) {
			o.Object = func(in *transfermanager.UploadObjectInput) {
				in.ServerSideEncryption, in.SSEKMSKeyID = types.ServerSideEncryptionAwsKms, aws.String("key")
				in.RequestPayer, in.StorageClass = types.RequestPayerRequester, types.StorageClassStandardIa
			}
		})
		if err := x.Export(context.Background(), e.logger, large(0, n)); err != nil {
			t.Fatal(err)
		}
		for _, o := range e.Objects() {
			if (o.Parts > 0) != (n > 1) {
				t.Errorf("%d events in %d parts", n, o.Parts)
			}
			for name, want := range map[string]string{
				"X-Amz-Server-Side-Encryption": "aws:kms", "X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id": "key",
				"X-Amz-Request-Payer": "requester", "X-Amz-Storage-Class": "STANDARD_IA",
				"Content-Type": encode.JSON{}.ContentType(),
			} {
				if got := o.Header.Get(name); got != want {
					t.Errorf("%d parts: %s is %q, want %q", o.Parts, name, got, want)
				}
			}
		}
	}
}

// Events that cannot be encoded are set aside and reported when the rest is stored, and not while it is not.
func TestExportRefused(t *testing.T) {
	poison := ffexporter.FeatureEvent{Kind: "feature", UserKey: "poison", Value: math.Inf(1)}
	for _, test := range []struct {
		name   string
		events []ffexporter.ExportableEvent
		good   int
	}{
		{"one of many", slices.Insert(events(0, 9), 4, ffexporter.ExportableEvent(poison)), 9},
		{"all", []ffexporter.ExportableEvent{poison}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := start(t, answers(1, http.StatusForbidden, nil, anything))
			var told []encode.Refused
			x := e.exporter(t, func(o *s3.Options) { o.OnRefused = func(r encode.Refused) { told = append(told, r) } })
			if test.good > 0 {
				if err := x.Export(context.Background(), e.logger, test.events); err == nil || len(told) != 0 {
					t.Fatalf("while nothing is stored: %v, told of %v", err, told)
				}
			}
			if err := x.Export(context.Background(), e.logger, test.events); err != nil {
				t.Fatal(err)
			}
			once(t, users(t, e.Objects()), test.good)
			if s := x.Stats(); s.Refused != 1 || s.Events != int64(test.good) || len(told) != 1 || told[0].Err == nil {
				t.Errorf("%+v, told of %v", s, told)
			}
			if !strings.Contains(e.logs.String(), "set aside") {
				t.Error(e.logs)
			}
		})
	}
}

// What OnRefused does is not the batch's fault: it is stored, and not sent again.
func TestOnRefusedPanics(t *testing.T) {
	e := start(t)
	x := e.exporter(t, func(o *s3.Options) { o.OnRefused = func(encode.Refused) { panic("in OnRefused") } })
	poison := ffexporter.FeatureEvent{Kind: "feature", UserKey: "poison", Value: math.Inf(1)}
	if err := x.Export(context.Background(), e.logger, append(events(0, 3), poison)); err != nil {
		t.Fatal(err)
	}
	once(t, users(t, e.Objects()), 3)
	if !strings.Contains(e.logs.String(), "OnRefused panicked") {
		t.Error(e.logs)
	}
}

// panicking is an encoder that panics after so many bytes.
type panicking struct {
	encode.JSON
	after int
}

func (p panicking) Encode(w io.Writer, _ []ffexporter.ExportableEvent) ([]encode.Refused, error) {
	_, _ = w.Write(make([]byte, p.after))
	panic("encoder")
}

// An encoder that panics stores nothing and leaves nothing behind, before the upload and in the middle of it. (That no goroutine
// is left is checked for all tests.)
func TestExportEncoderPanics(t *testing.T) {
	for _, after := range []int{0, 1 << 20, 12 << 20} {
		e := start(t)
		x := e.exporter(t, func(o *s3.Options) { o.Encoder = panicking{after: after} })
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			_ = x.Export(context.Background(), e.logger, events(0, 1))
		}()
		if len(e.Objects()) != 0 || e.Uploads() != 0 {
			t.Errorf("after %d bytes: %d objects, %d uploads", after, len(e.Objects()), e.Uploads())
		}
	}
}

// A hook that panics in the upload's own goroutine is an error of Export.
func TestExportHookPanics(t *testing.T) {
	e := start(t)
	x := e.exporter(t, func(o *s3.Options) { o.Object = func(*transfermanager.UploadObjectInput) { panic("hook") } })
	if err := x.Export(context.Background(), e.logger, events(0, 5_000)); err == nil || !strings.Contains(err.Error(), "hook") {
		t.Error(err)
	}
}

// One exporter may be given to several data exporters: each batch is an object, whole and under its own name.
func TestExportConcurrentSafe(t *testing.T) {
	const callers, rounds, each = 8, 5, 50
	e := start(t)
	x := e.exporter(t, func(o *s3.Options) { o.Compression, o.Filename = s3.Gzip, "same-{{ .Timestamp}}.json" })
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for r := range rounds {
				if err := x.Export(context.Background(), nil, events((c*rounds+r)*each, each)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	objects := e.Objects()
	for key, o := range objects {
		o.Body = unpacked(t, key, o.Body)
		objects[key] = o
	}
	if len(objects) != callers*rounds {
		t.Errorf("%d objects", len(objects))
	}
	once(t, users(t, objects), callers*rounds*each)
}

// Nothing to export is no object, and nothing needs a context or a logger.
func TestExportNothing(t *testing.T) {
	e := start(t)
	x := e.exporter(t)
	var none context.Context // as the library once gave
	if err := x.Export(none, nil, nil); err != nil || len(e.Requests()) != 0 || !x.IsBulk() {
		t.Error(err, e.Requests())
	}
	if err := x.Export(none, nil, events(0, 1)); err != nil || len(e.Objects()) != 1 {
		t.Error(err, e.Requests())
	}
}

// A cancelled context ends an upload, and the parts that were sent are removed all the same.
func TestExportCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	part := make(chan struct{}, 1)
	e := start(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("partNumber") == "2" {
				_, _ = io.Copy(io.Discard, r.Body)
				part <- struct{}{}
				<-r.Context().Done()
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	go func() {
		<-part
		cancel()
	}()
	x := e.exporter(t)
	if err := x.Export(ctx, e.logger, large(0, 1_500)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the context's error", err)
	}
	if len(e.Objects()) != 0 || e.Uploads() != 0 {
		t.Errorf("%d objects, %d uploads", len(e.Objects()), e.Uploads())
	}
}
