//go:build ignore

package bigqueryexporter

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
	"google.golang.org/api/googleapi"
)

// smallTable takes three rows a request, and none of a request with a row that has no variation.
type smallTable struct {
	mockBigQueryClient
	keys []string
}

func (s *smallTable) Inserter(string, string) inserter { return s }

func (s *smallTable) Put(_ context.Context, src any) error {
	rows := src.([]rowSaver)
	isLarge := func(row rowSaver) bool { return row.values[colKey] == "too large" }
	if len(rows) > 3 || slices.ContainsFunc(rows, isLarge) {
		return &googleapi.Error{Code: http.StatusRequestEntityTooLarge}
	}
	var failed bigquery.PutMultiError
	for i, row := range rows {
		if row.values[colVariation] == "" {
			failed = append(failed, bigquery.RowInsertionError{RowIndex: i,
				Errors: bigquery.MultiError{&bigquery.Error{Reason: "invalid", Message: "no variation"}}})
		}
	}
	if len(failed) > 0 {
		for i, row := range rows {
			if row.values[colVariation] != "" {
				failed = append(failed, bigquery.RowInsertionError{RowIndex: i,
					Errors: bigquery.MultiError{&bigquery.Error{Reason: "stopped"}}})
			}
		}
		return failed
	}
	for _, row := range rows {
		s.keys = append(s.keys, row.values[colKey].(string))
	}
	return nil
}

// What BigQuery never takes is set aside, and the rest is inserted.
func TestExporter_PoisonIsSetAside(t *testing.T) {
	var log bytes.Buffer
	table := &smallTable{}
	e := &Exporter{newClientFunc: mockNewClientFunc(table)}
	err := e.Export(context.Background(), &fflog.FFLogger{LeveledLogger: slog.New(slog.NewTextHandler(&log, nil))},
		[]exporter.ExportableEvent{
			exporter.FeatureEvent{Key: "1", Variation: "a", Value: true},
			exporter.FeatureEvent{Key: "infinite", Variation: "a", Value: math.Inf(1)},
			exporter.FeatureEvent{Key: "no variation", Value: true},
			exporter.FeatureEvent{Key: "2", Variation: "a", Value: true},
			exporter.FeatureEvent{Key: "3", Variation: "a", Value: true},
			exporter.FeatureEvent{Key: "too large", Variation: "a", Value: true},
			exporter.FeatureEvent{Key: "4", Variation: "a", Value: true},
		})
	require.NoError(t, err)
	assert.Equal(t, []string{"1", "2", "3", "4"}, table.keys)
	assert.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
	assert.Contains(t, log.String(), "events=3")
	assert.Contains(t, log.String(), "unsupported value: +Inf")
}

// A Manager whose first events are of that kind exports the next ones.
func TestExporter_NothingButPoison(t *testing.T) {
	table := &smallTable{}
	manager := exporter.NewManager[exporter.FeatureEvent]([]exporter.Config{{
		FlushInterval: time.Hour, MaxEventInMemory: 1, StopTimeout: 3 * time.Second,
		Exporter: &Exporter{newClientFunc: mockNewClientFunc(table)},
	}}, time.Hour, nil)
	manager.Start()
	manager.AddEvent(exporter.FeatureEvent{Key: "infinite", Variation: "a", Value: math.Inf(1)})
	require.Eventually(t, func() bool {
		return manager.(exporter.StatsReporter).Stats().Consumers[0].Calls > 0
	}, 10*time.Second, time.Millisecond)
	manager.AddEvent(exporter.FeatureEvent{Key: "1", Variation: "a", Value: true})
	manager.Stop()
	assert.Equal(t, []string{"1"}, table.keys)
}
