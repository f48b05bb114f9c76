package tally

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newS3(t *testing.T, objects map[string]string) *s3.Client {
	t.Helper()
	memory := s3mem.New()
	if err := memory.CreateBucket("events"); err != nil {
		t.Fatal(err)
	}
	for key, body := range objects {
		_, err := memory.PutObject("events", key, nil, strings.NewReader(body), int64(len(body)), nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(gofakes3.New(memory).Server())
	t.Cleanup(server.Close)
	return s3.New(s3.Options{
		BaseEndpoint: &server.URL,
		UsePathStyle: true,
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider("any", "any", ""),
		HTTPClient:   server.Client(),
		Retryer:      aws.NopRetryer{},
	})
}

func event(user string) string { return fmt.Sprintf("{\"kind\":\"feature\",\"userKey\":%q}\n", user) }

func TestBucketCounts(t *testing.T) {
	client := newS3(t, map[string]string{
		"evaluations/1.json": event("a") + event("b"),
		"/2.json":            event("a"), // the library's exporter starts a key like this when it has no path
		"empty.json":         "",
		"no-newline.json":    strings.TrimSuffix(event("c"), "\n"),
	})
	got, err := Bucket(t.Context(), client, "events", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Tally{Objects: 4, Events: 4, Users: map[string]int{"a": 2, "b": 1, "c": 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tally (-want +got):\n%s", diff)
	}
}

func TestBucketReadsEveryPage(t *testing.T) {
	const objects = 1200 // a page of S3 has 1000
	content := map[string]string{}
	for i := range objects {
		content[fmt.Sprintf("%d.json", i)] = event(fmt.Sprint(i))
	}
	got, err := Bucket(t.Context(), newS3(t, content), "events", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Objects != objects || got.Events != objects || len(got.Users) != objects {
		t.Errorf("%d objects, %d events, %d users, want %d of each", got.Objects, got.Events, len(got.Users), objects)
	}
}

func TestBucketErrors(t *testing.T) {
	for _, tc := range []struct{ name, bucket, content, want string }{
		{"no such bucket", "others", "", "listing bucket others"},
		{"not JSON", "events", event("a") + "kind;userKey\n", "object x.json in bucket events: line 2 is not a JSON event"},
		{"half an event", "events", event("a")[:20], "line 1 is not a JSON event"},
		{"another JSON", "events", "{}\n", "line 1 has no userKey"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			client := newS3(t, map[string]string{"x.json": tc.content, "y.json": event("b")})
			got, err := Bucket(t.Context(), client, tc.bucket, nil)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%+v, %v; want an error with %q", got, err, tc.want)
			}
		})
	}
}

func TestBucketEndsWithItsContext(t *testing.T) {
	client := newS3(t, map[string]string{"x.json": event("a")})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Bucket(ctx, client, "events", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}
