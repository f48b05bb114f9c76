//go:build ignore

package sqsexporter

import (
	"context"
	"fmt"
	"sync"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

//offlock:fields after init
type Exporter struct {
	initMutex sync.Mutex // guards AwsConfig, while it is filled in
}

//offlock:replace Exporter.Export fec6ea0ad9b6
func _() {
	if err := f.initService(ctx); err != nil {
		return err
	}
}

//offlock:delete Exporter.Export 46421d338b46

// initService makes what is missing: once, if it succeeds.
func (f *Exporter) initService(ctx context.Context) error {
	f.initMutex.Lock()
	defer f.initMutex.Unlock()
	if f.AwsConfig == nil {
		loaded, err := config.LoadDefaultConfig(ctx)
		if err != nil {
			return fmt.Errorf("impossible to init SQS exporter: %w", err)
		}
		f.AwsConfig = &loaded
	}
	f.init.Do(func() {
		if f.sqsService == nil {
			f.sqsService = sqs.NewFromConfig(*f.AwsConfig)
		}
	})
	return nil
}
