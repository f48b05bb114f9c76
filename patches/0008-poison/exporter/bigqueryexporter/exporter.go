//go:build ignore

package bigqueryexporter

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"cloud.google.com/go/bigquery"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
	"google.golang.org/api/googleapi"
)

//offlock:fields
type rowSaver struct {
	index int // of the event
}

// Export streams the events to the configured BigQuery table. Events that cannot be encoded, or that BigQuery never
// takes, are set aside.
func (e *Exporter) Export(
	ctx context.Context,
	logger *fflog.FFLogger,
	events []exporter.ExportableEvent,
) error {
	var refused []exporter.Refused
	defer func() { exporter.SetAside(ctx, logger, refused...) }()
	refuse := func(index int, reason error) {
		refused = append(refused, exporter.Refused{Index: index, Event: events[index], Err: reason})
	}

	rows, schema, err := e.buildRows(events, refuse)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		if _, managed := exporter.AttemptFrom(ctx); managed || len(refused) == 0 {
			return nil
		}
		// Without a Manager, who calls Export with nothing else has to be told here.
		return refused[0].Err
	}
	if err := e.initClient(ctx); err != nil {
		return err
	}
	return e.exportRows(ctx, e.tableName(), schema, rows, refuse)
}

// buildRows returns a row for each event that can be encoded and that this exporter is for.
func (e *Exporter) buildRows(events []exporter.ExportableEvent, refuse func(int, error),
) ([]rowSaver, bigquery.Schema, error) {
	rows, kind := make([]rowSaver, 0, len(events)), ""
	for i, event := range events {
		row, rowKind, err := buildRow(event)
		switch {
		case rowKind == "":
		case kind != "" && kind != rowKind:
			return nil, nil, errors.New("bigquery exporter received mixed event types")
		case err != nil:
			kind = rowKind
			refuse(i, err)
		default:
			kind, row.index = rowKind, i
			rows = append(rows, row)
		}
	}
	return rows, schemaForEventType(kind), nil
}

// exportRows inserts the rows, in requests that stay below BigQuery's limit of rows.
func (e *Exporter) exportRows(
	ctx context.Context,
	table string,
	schema bigquery.Schema,
	rows []rowSaver,
	refuse func(int, error),
) error {
	if e.AutoMigrate {
		if err := e.client.EnsureTable(ctx, e.DatasetID, table, schema); err != nil {
			return err
		}
	}
	ins := e.client.Inserter(e.DatasetID, table)
	for len(rows) > 0 {
		n := min(len(rows), maxRowsPerInsert)
		if err := put(ctx, ins, rows[:n], refuse); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// put inserts the rows that BigQuery takes.
func put(ctx context.Context, ins inserter, rows []rowSaver, refuse func(int, error)) error {
	err := ins.Put(ctx, rows)
	if isTooLarge(err) {
		if len(rows) == 1 {
			refuse(rows[0].index, err)
			return nil
		}
		if err := put(ctx, ins, rows[:len(rows)/2], refuse); err != nil {
			return err
		}
		return put(ctx, ins, rows[len(rows)/2:], refuse)
	}
	good := withoutInvalid(rows, err, refuse)
	if len(good) == len(rows) {
		return err
	}
	if len(good) == 0 {
		return nil
	}
	return put(ctx, ins, good, refuse) // a row that is invalid keeps all others of its request out
}

// withoutInvalid returns the rows that the error of a Put does not call invalid.
func withoutInvalid(rows []rowSaver, err error, refuse func(int, error)) []rowSaver {
	var failed bigquery.PutMultiError
	if !errors.As(err, &failed) {
		return rows
	}
	invalid := map[int]error{}
	for _, row := range failed {
		for _, reason := range row.Errors {
			if cause := (*bigquery.Error)(nil); errors.As(reason, &cause) && cause.Reason == "invalid" {
				invalid[row.RowIndex] = fmt.Errorf("BigQuery does not take the row: %w", cause)
			}
		}
	}
	good := make([]rowSaver, 0, len(rows))
	for i, row := range rows {
		if reason := invalid[i]; reason != nil {
			refuse(row.index, reason)
			continue
		}
		good = append(good, row)
	}
	return good
}

func isTooLarge(err error) bool {
	var answer *googleapi.Error
	return errors.As(err, &answer) && answer.Code == http.StatusRequestEntityTooLarge
}
