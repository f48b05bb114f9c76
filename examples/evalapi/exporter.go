package main

import (
	"context"
	"math/rand/v2"
	"time"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/offlock/offlock/exporter/s3"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/exporter/s3exporterv2"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// scenarioExporter is another exporter with the two habits that the scenarios ask for. The zero values of jitter and
// nonBulk change nothing.
type scenarioExporter struct {
	exporter.Exporter
	jitter  time.Duration // sleep 0..jitter, uniformly, before each export
	nonBulk bool          // report itself as non-bulk, whatever Exporter says

	draw func(n int64) int64 // uniform in [0,n)
}

// The exporters that there may be.
const (
	s3Exporter   = "s3"
	hungExporter = "hung"
)

// exporterNames are the service's exporters, in the order in which the library gets them: the hung one first, so that
// whatever goes through them one after the other comes to it before S3.
func exporterNames(cfg config) []string {
	if cfg.hungExporter {
		return []string{hungExporter, s3Exporter}
	}
	return []string{s3Exporter}
}

// newExporter is the exporter of that name: an S3 exporter under the scenario's habits, or one that hangs.
func newExporter(cfg config, name string) (exporter.Exporter, error) {
	if name == hungExporter {
		return hang{}, nil
	}
	upload, err := newS3(cfg)
	return &scenarioExporter{
		Exporter: upload,
		jitter:   cfg.jitter,
		nonBulk:  cfg.nonBulk,
		draw:     rand.Int64N,
	}, err
}

// newS3 is the library's S3 exporter, or with ASYNC_EXPORT this module's.
func newS3(cfg config) (exporter.Exporter, error) {
	client := []func(*awss3.Options){func(o *awss3.Options) { o.UsePathStyle = cfg.s3PathStyle }}
	if cfg.async {
		return s3.New(s3.Options{Bucket: cfg.bucket, S3Path: cfg.s3Path, AwsConfig: &cfg.aws, S3ClientOptions: client})
	}
	return &s3exporterv2.Exporter{Bucket: cfg.bucket, S3Path: cfg.s3Path, AwsConfig: &cfg.aws, S3ClientOptions: client}, nil
}

// IsBulk is false where the scenario asks for it, and else what the wrapped exporter says.
func (e *scenarioExporter) IsBulk() bool {
	return !e.nonBulk && e.Exporter.IsBulk()
}

// Export sleeps its jitter and exports. The end of ctx cuts the sleep short and is the error.
func (e *scenarioExporter) Export(
	ctx context.Context, logger *fflog.FFLogger, events []exporter.ExportableEvent,
) error {
	if e.jitter > 0 {
		pause := time.NewTimer(time.Duration(e.draw(int64(e.jitter) + 1)))
		defer pause.Stop()
		select {
		case <-pause.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return e.Exporter.Export(ctx, logger, events)
}

// hang is an exporter of the worst kind: no call of it returns, whatever becomes of its context.
type hang struct{}

func (hang) IsBulk() bool { return true }

func (hang) Export(context.Context, *fflog.FFLogger, []exporter.ExportableEvent) error {
	select {}
}
