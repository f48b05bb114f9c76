package backends

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/offlock/offlock/examples/evalapi/internal/faultproxy"
)

// errBucketInUse is the refusal to empty a bucket of a real S3.
var errBucketInUse = errors.New("the bucket holds objects, and a bucket of a real S3 is never emptied: name another one")

// s3Store is the S3 under control: a client for what it holds and, for the built-in one, its inside.
type s3Store struct {
	client *s3.Client
	memory *s3mem.Backend    // nil for a real S3
	proxy  *faultproxy.Proxy // nil for a real S3
}

func (b *Backends) startS3(ctx context.Context, o Options) (*s3Store, error) {
	if o.S3Endpoint != "" {
		cfg, err := awsconfig.LoadDefaultConfig(ctx)
		if err != nil {
			return nil, fmt.Errorf("loading the AWS settings: %w", err)
		}
		b.addresses.S3 = o.S3Endpoint
		return &s3Store{client: newS3Client(cfg, o.S3Endpoint)}, nil
	}
	memory := s3mem.New()
	proxy := faultproxy.New(gofakes3.New(memory).Server())
	// Plain HTTP on purpose: over TLS gofakes3 stores the framing of multipart uploads as content.
	server, err := serve(proxy)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{}
	b.closers = append(b.closers, server.Close, func() error { transport.CloseIdleConnections(); return nil })
	b.addresses.S3 = server.URL
	cfg := aws.Config{
		Region:      "us-east-1", // gofakes3 takes any
		Credentials: credentials.NewStaticCredentialsProvider("any", "any", ""),
		HTTPClient:  &http.Client{Transport: transport},
	}
	return &s3Store{client: newS3Client(cfg, server.URL), memory: memory, proxy: proxy}, nil
}

func newS3Client(cfg aws.Config, endpoint string) *s3.Client {
	return s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.BaseEndpoint = &endpoint
		o.UsePathStyle = true
	})
}

// emptyBucket makes the bucket exist and hold nothing.
func (s *s3Store) emptyBucket(ctx context.Context, name string) error {
	if s.memory != nil {
		if exists, err := s.memory.BucketExists(name); err != nil {
			return err
		} else if exists {
			if err := s.memory.ForceDeleteBucket(name); err != nil {
				return err
			}
		}
		s.proxy.Forget(name)
	}
	_, err := s.client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &name})
	if owned := (*types.BucketAlreadyOwnedByYou)(nil); err != nil && !errors.As(err, &owned) {
		return err
	}
	if s.memory != nil {
		return nil
	}
	some, err := s.client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &name, MaxKeys: aws.Int32(1)})
	if err == nil && len(some.Contents) > 0 {
		err = errBucketInUse
	}
	return err
}
