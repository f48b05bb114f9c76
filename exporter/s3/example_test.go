package s3_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/exporter"
	"github.com/offlock/offlock/exporter/s3"
	"github.com/offlock/offlock/exporter/s3/s3test"
)

// An object a batch, packed, in partitions that Athena reads; a batch that is handed over again replaces its object.
func Example() {
	var endpoint s3test.Server // in memory, in place of S3
	server := httptest.NewTLSServer(&endpoint)
	defer server.Close()

	upload, err := s3.New(s3.Options{
		Bucket: "flags", S3Path: "events",
		Filename:    s3.HivePartitions + "{{ .Instance}}-{{ .First}}.{{ .Format}}",
		Compression: s3.Gzip,
		AwsConfig: &aws.Config{ // nil in a service: the default chain
			Region: "eu-west-1", BaseEndpoint: aws.String(server.URL), HTTPClient: server.Client(),
			Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
		},
		S3ClientOptions: []func(*awss3.Options){func(o *awss3.Options) { o.UsePathStyle = true }},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	// What exporter.Async, the spool and the fork put into the context; without it, the exporter names the batch.
	ctx := exporter.WithBatch(context.Background(), exporter.Batch{
		Instance: "pod-7", First: 0, Last: 1, Attempt: 1, Began: time.Date(2026, 3, 4, 15, 30, 0, 0, time.UTC),
	})
	batch := []ffexporter.ExportableEvent{
		ffexporter.FeatureEvent{Kind: "feature", UserKey: "ada", Key: "dark-mode", Value: true},
		ffexporter.TrackingEvent{Kind: "tracking", UserKey: "ada", Key: "clicked"},
	}
	for range 2 { // as if the first answer had been lost
		if err := upload.Export(ctx, nil, batch); err != nil {
			fmt.Println(err)
		}
	}
	for name := range endpoint.Objects() {
		fmt.Println(name)
	}
	// Output: flags/events/dt=2026-03-04/hour=15/pod-7-0.json.gz
}
