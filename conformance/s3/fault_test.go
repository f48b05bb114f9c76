package s3

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
	"go.uber.org/goleak"

	"github.com/offlock/offlock/conformance/s3/faultproxy"
	"github.com/offlock/offlock/exporter"
	"github.com/offlock/offlock/exporter/s3"
)

// The cases wait much more than they compute, so many run at the same time: all of them take a quarter of a minute, those of -short some seconds.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

const bucket = "flags"

// rig is an exporter, a proxy that breaks what it sends, and a server.
type rig struct {
	backend  gofakes3.Backend
	proxy    *faultproxy.Proxy
	exporter *s3.Exporter
}

func newRig(t *testing.T, attemptTimeout time.Duration) *rig {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket(bucket); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	proxy := faultproxy.New(server.Listener.Addr().String())
	front := httptest.NewServer(proxy)
	t.Cleanup(front.Close)
	t.Cleanup(front.CloseClientConnections)
	x, err := s3.New(s3.Options{
		Bucket: bucket,
		AwsConfig: &aws.Config{
			Region: "eu-west-1", BaseEndpoint: aws.String(front.URL), HTTPClient: front.Client(),
			Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
		},
		S3ClientOptions: []func(*awss3.Options){func(o *awss3.Options) { o.UsePathStyle = true }},
		AttemptTimeout:  attemptTimeout,
	})
	if err != nil {
		t.Fatal(err)
	}
	return &rig{backend, proxy, x}
}

// events makes n events of so many bytes each, at least: few large ones are much to send and little to encode.
func events(n, size int) []ffexporter.ExportableEvent {
	all := make([]ffexporter.ExportableEvent, n)
	for i := range all {
		all[i] = ffexporter.FeatureEvent{
			Kind: "feature", ContextKind: "user", UserKey: fmt.Sprintf("user-%08d", i), CreationDate: 1680246000,
			Key: "my-feature-flag", Variation: strings.Repeat("enabled", size/len("enabled")+1), Value: true, Version: "v1.0.0", Source: "SERVER",
		}
	}
	return all
}

// stored are the names of all objects, and how often each user is in them.
func (r *rig) stored(t *testing.T) (names []string, users map[string]int) {
	t.Helper()
	list, err := r.backend.ListBucket(bucket, nil, gofakes3.ListBucketPage{})
	if err != nil {
		t.Fatal(err)
	}
	users = map[string]int{}
	for _, c := range list.Contents {
		names = append(names, c.Key)
		object, err := r.backend.GetObject(bucket, c.Key, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(object.Contents)
		if err != nil {
			t.Fatal(err)
		}
		_ = object.Contents.Close()
		for line := range bytes.Lines(body) {
			var e ffexporter.FeatureEvent
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatal(err)
			}
			users[e.UserKey]++
		}
	}
	return names, users
}

// Every fault, of every request of an upload: once, so that the exporter gets by itself over it, or for as long as the exporter
// tries, so that the batch is handed over again, with a name or without. Then there is one object with every event once.
func TestFaults(t *testing.T) {
	sizes := []struct {
		name       string
		events     int
		bytes      int // of an event
		operations []faultproxy.Operation
	}{
		{"small", 100, 0, []faultproxy.Operation{faultproxy.Put}},
		{"in parts", 700, 8 << 10, []faultproxy.Operation{faultproxy.Create, faultproxy.Part, faultproxy.Complete}},
	}
	for _, fault := range faultproxy.All {
		for _, size := range sizes {
			for _, operation := range size.operations {
				if testing.Short() && operation != faultproxy.Put {
					continue // they take a while: each sends 6 MB
				}
				for _, how := range []struct{ lasting, named bool }{{false, true}, {true, true}, {true, false}} {
					name := fmt.Sprintf("%s/%s/%s/lasting=%t/named=%t", fault.Name, size.name, operation, how.lasting, how.named)
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						testFault(t, fault, operation, events(size.events, size.bytes), how.lasting, how.named)
					})
				}
			}
		}
	}
}

func testFault(
	t *testing.T, fault faultproxy.Fault, on faultproxy.Operation, batch []ffexporter.ExportableEvent, lasting, named bool,
) {
	stalls := fault.Name == faultproxy.Stall.Name || fault.Name == faultproxy.StallAnswer.Name
	attemptTimeout := time.Minute
	if stalls && !lasting {
		attemptTimeout = 5 * time.Second // much longer than a request takes here, and waited for once
	}
	r := newRig(t, attemptTimeout)
	logger := &fflog.FFLogger{LeveledLogger: slog.New(slog.DiscardHandler)}
	export := func(ctx context.Context, attempt int) error {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		if named {
			ctx = exporter.WithBatch(ctx, exporter.Batch{
				Instance: "pod", First: 0, Last: int64(len(batch) - 1), Attempt: attempt, Began: time.Unix(1.7e9, 0),
			})
		}
		return r.exporter.Export(ctx, logger, batch)
	}

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if lasting {
		const always = 1 << 30
		r.proxy.Break(fault, on, always)
		enough := 2
		if stalls || fault.Name == faultproxy.SlowDownLong.Name { // of those there is no second one
			enough = 1
		}
		go func() {
			for range enough {
				select {
				case <-r.proxy.Broken():
				case <-ctx.Done():
					return
				}
			}
			cancel()
		}()
	} else {
		r.proxy.Break(fault, on, 1)
	}
	err := export(ctx, 1)
	if lasting {
		if err == nil {
			t.Fatal("stored, with every request broken")
		}
	} else {
		select {
		case <-r.proxy.Broken():
		default:
			t.Fatal("no request was broken")
		}
	}
	r.proxy.Break(fault, on, 0)
	for attempt := 2; err != nil; attempt++ {
		if attempt > 4 {
			t.Fatalf("attempt %d: %v", attempt, err)
		}
		err = export(context.Background(), attempt)
	}

	names, users := r.stored(t)
	if len(names) != 1 || len(users) != len(batch) {
		t.Errorf("%d objects, %d of %d events", len(names), len(users), len(batch))
	}
	for user, times := range users {
		if times != 1 {
			t.Fatalf("%s is stored %d times", user, times)
		}
	}
	keys := r.proxy.Keys()
	for _, key := range slices.Compact(slices.Clone(keys)) {
		if strings.TrimPrefix(key, "/"+bucket+"/") != names[0] {
			t.Errorf("the attempts have different names: %q", keys)
		}
	}
	if s := r.exporter.Stats(); s.Objects != 1 || s.Events != int64(len(batch)) {
		t.Errorf("%+v", s)
	}
}
