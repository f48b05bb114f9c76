//go:build ignore

package bigqueryexporter

import (
	"context"
	"net/http"
	"strconv"
	"testing"
	"time"

	"cloud.google.com/go/bigquery"
	"github.com/stretchr/testify/assert"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"google.golang.org/api/googleapi"
)

// busyTable takes three rows a request, and fails twice with the one of user 4, of which it takes the others.
type busyTable struct {
	mockBigQueryClient
	failures int
	taken    []string
}

func (b *busyTable) Inserter(string, string) inserter { return b }

func (b *busyTable) Put(_ context.Context, src any) error {
	rows := src.([]rowSaver)
	if len(rows) > 3 {
		return &googleapi.Error{Code: http.StatusRequestEntityTooLarge}
	}
	var failed bigquery.PutMultiError
	for i, row := range rows {
		user := row.values[colUserKey].(string)
		if user == "4" && b.failures < 2 {
			b.failures++
			failed = append(failed, bigquery.RowInsertionError{RowIndex: i,
				Errors: bigquery.MultiError{&bigquery.Error{Reason: "backendError"}}})
			continue
		}
		b.taken = append(b.taken, user)
	}
	if len(failed) > 0 {
		return failed
	}
	return nil
}

// A retry inserts the rows that BigQuery has not.
func TestExporter_RetryInsertsWhatWasNotTaken(t *testing.T) {
	table := &busyTable{}
	manager := exporter.NewManager[exporter.FeatureEvent]([]exporter.Config{{
		FlushInterval: time.Hour, MaxEventInMemory: 6, Exporter: &Exporter{newClientFunc: mockNewClientFunc(table)},
	}}, time.Hour, nil)
	for i := range 6 {
		manager.AddEvent(exporter.FeatureEvent{UserKey: strconv.Itoa(i), Value: true})
	}
	manager.Stop()
	assert.Equal(t, []string{"0", "1", "2", "3", "5", "4"}, table.taken)
}
