package s3

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
)

// abortGrace is how long aborting a multipart upload may take when its context is done already.
const abortGrace = 500 * time.Millisecond

// starter makes the transfer manager when it is first needed, and again after a failure.
type starter struct {
	options  Options
	requests *atomic.Int64 // attempts of requests

	ready atomic.Pointer[transfermanager.Client]
	turn  chan struct{} // holds one token while somebody starts: not a mutex, because starting can take long and contexts end
}

func newStarter(o Options, requests *atomic.Int64) *starter {
	return &starter{options: o, requests: requests, turn: make(chan struct{}, 1)}
}

// get returns the transfer manager. One caller at a time starts it; the others wait, as long as their contexts allow.
func (s *starter) get(ctx context.Context) (*transfermanager.Client, error) {
	if client := s.ready.Load(); client != nil {
		return client, nil
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, fmt.Errorf("s3: waiting for the AWS configuration: %w", ctx.Err())
	}
	if client := s.ready.Load(); client != nil {
		return client, nil
	}
	client, err := s.start(ctx)
	if err != nil {
		return nil, err
	}
	s.ready.Store(client)
	return client, nil
}

func (s *starter) start(ctx context.Context) (*transfermanager.Client, error) {
	cfg := s.options.AwsConfig
	if cfg == nil {
		loaded, err := config.LoadDefaultConfig(ctx)
		if err != nil {
			return nil, fmt.Errorf("s3: the default AWS configuration, which is tried again at the next export: %w", err)
		}
		cfg = &loaded
	}
	client := awss3.NewFromConfig(*cfg, append([]func(*awss3.Options){func(o *awss3.Options) {
		if cfg.Retryer == nil && cfg.RetryMode == "" {
			o.Retryer = newRetryer()
		}
		o.APIOptions = append(o.APIOptions, attempt{s.options.AttemptTimeout, s.requests}.add)
	}}, s.options.S3ClientOptions...)...)
	return transfermanager.New(aborting{client}, append([]func(*transfermanager.Options){func(o *transfermanager.Options) {
		o.PartSizeBytes, o.MultipartUploadThreshold = s.options.PartSize, s.options.PartSize
		o.Concurrency = s.options.Concurrency
	}}, s.options.TransferOptions...)...), nil
}

// aborting is a client that aborts multipart uploads although the context of the upload is done, which is the usual reason to
// abort one.
type aborting struct{ *awss3.Client }

// AbortMultipartUpload asks for the parts to be removed. If that fails they stay, for a lifecycle rule to remove, and the upload
// reports what made it fail and not this: so there is never an error.
func (a aborting) AbortMultipartUpload(
	ctx context.Context, in *awss3.AbortMultipartUploadInput, opts ...func(*awss3.Options),
) (*awss3.AbortMultipartUploadOutput, error) {
	if ctx.Err() != nil || endsWithin(ctx, abortGrace) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), abortGrace)
		defer cancel()
	}
	out, err := a.Client.AbortMultipartUpload(ctx, in, opts...)
	if err != nil {
		out = &awss3.AbortMultipartUploadOutput{}
	}
	return out, nil
}

func endsWithin(ctx context.Context, d time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) < d
}
