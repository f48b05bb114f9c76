//go:build ignore

package kinesisexporter

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/kinesis"
	"github.com/aws/aws-sdk-go-v2/service/kinesis/types"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// What PutRecords takes.
const (
	maxRequestRecords = 500
	maxRequestBytes   = 5 * Mb
	maxRecordBytes    = Mb  // partition key included, here and in a request
	maxKeyCharacters  = 256 // of a partition key, which has one at least
)

// Export sends the events to the stream, in as many requests as it takes. Events that Kinesis never takes are set
// aside.
func (e *Exporter) Export(
	ctx context.Context,
	logger *fflog.FFLogger,
	featureEvents []exporter.ExportableEvent,
) error {
	if err := e.initializeProducer(ctx); err != nil {
		return fmt.Errorf("writer: %w", err)
	}
	if e.Settings.StreamArn == nil && e.Settings.StreamName == nil {
		return errors.New("send: no StreamName or StreamArn provided")
	}

	var refused []exporter.Refused
	defer func() { exporter.SetAside(ctx, logger, refused...) }()
	var records []record
	for i, event := range featureEvents {
		entry, err := e.newEntry(ctx, event)
		if err != nil {
			refused = append(refused, exporter.Refused{Index: i, Event: event, Err: err})
			continue
		}
		records = append(records, record{index: i, entry: entry})
	}
	for len(records) > 0 {
		n := requestLength(records)
		if err := e.send(ctx, logger, records[:n]); err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

// record is what becomes of an event.
type record struct {
	index int // of the event
	entry types.PutRecordsRequestEntry
}

func (r record) size() int { return len(r.entry.Data) + len(*r.entry.PartitionKey) }

// newEntry returns an error for an event that Kinesis will not take.
func (e *Exporter) newEntry(ctx context.Context, event exporter.ExportableEvent,
) (types.PutRecordsRequestEntry, error) {
	data, err := e.formatMessage(event)
	if err != nil {
		return types.PutRecordsRequestEntry{}, fmt.Errorf("format: %w", err)
	}
	partitionKey := DefaultPartitionKey
	if e.Settings.PartitionKey != nil {
		partitionKey = e.Settings.PartitionKey
	}
	key := partitionKey(ctx, event)
	if n := utf8.RuneCountInString(key); n == 0 || n > maxKeyCharacters {
		return types.PutRecordsRequestEntry{}, fmt.Errorf("format: the partition key has %d characters, not 1 to %d",
			n, maxKeyCharacters)
	}
	if n := len(data) + len(key); n > maxRecordBytes {
		return types.PutRecordsRequestEntry{}, fmt.Errorf("format: the record has %d bytes, and at most %d are taken",
			n, maxRecordBytes)
	}
	return types.PutRecordsRequestEntry{
		Data: data, PartitionKey: &key, ExplicitHashKey: e.Settings.ExplicitHashKey,
	}, nil
}

// requestLength returns how many of the records fit into a request, at least one.
func requestLength(records []record) int {
	size := 0
	for i, r := range records {
		if size += r.size(); i == maxRequestRecords || size > maxRequestBytes {
			return i
		}
	}
	return len(records)
}

// send makes one request.
func (e *Exporter) send(ctx context.Context, logger *fflog.FFLogger, records []record) error {
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
	for _, result := range output.Records {
		if result.ErrorCode != nil {
			logger.Error("send: couldn't send event to Kinesis: " + *result.ErrorCode)
		}
	}
	return nil
}
