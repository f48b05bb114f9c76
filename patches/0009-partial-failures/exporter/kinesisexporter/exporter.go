//go:build ignore

package kinesisexporter

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kinesis"
	"github.com/thomaspoignant/go-feature-flag/exporter"
)

//offlock:before Exporter.Export c0822e572c39
func _() {
	delivery := exporter.DeliveryFrom(ctx)
}

//offlock:before Exporter.Export 2f01a616cbba
func _() {
	if delivery.Done(i) {
		continue
	}
}

//offlock:replace Exporter.Export f3a18bad0757
func _() {
	if err := e.send(ctx, records[:n]); err != nil {
		return err
	}
}

// send makes one request. Kinesis takes it and refuses some of its records, when a shard has more than it can do:
// these are to be sent again, and no others.
func (e *Exporter) send(ctx context.Context, records []record) error {
	input := &kinesis.PutRecordsInput{StreamARN: e.Settings.StreamArn}
	if input.StreamARN == nil {
		input.StreamName = e.Settings.StreamName
	}
	for _, r := range records {
		input.Records = append(input.Records, r.entry)
	}
	output, err := e.sender.SendMessages(ctx, input)
	if err != nil {
		return fmt.Errorf("send: %w", err)
	}

	var taken []int
	reason := "it does not say which"
	for i, r := range records {
		if i < len(output.Records) && output.Records[i].ErrorCode != nil {
			result := output.Records[i]
			reason = aws.ToString(result.ErrorCode) + ": " + aws.ToString(result.ErrorMessage)
			continue
		}
		taken = append(taken, r.index)
	}
	failed := max(len(records)-len(taken), int(aws.ToInt32(output.FailedRecordCount)))
	if failed == len(records)-len(taken) {
		exporter.DeliveryFrom(ctx).Add(taken...)
	}
	if failed > 0 {
		return fmt.Errorf("send: Kinesis refused %d of %d records: %s", failed, len(records), reason)
	}
	return nil
}
