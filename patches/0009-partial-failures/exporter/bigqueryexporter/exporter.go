//go:build ignore

package bigqueryexporter

import (
	"context"
	"errors"
	"slices"

	"cloud.google.com/go/bigquery"
	"github.com/thomaspoignant/go-feature-flag/exporter"
)

//offlock:after Exporter.Export e8693aabcecf
func _() {
	exporter.DeliveryFrom(ctx).Add(index)
}

//offlock:before Exporter.Export 54c7018a1875
func _() {
	rows = undelivered(ctx, rows)
}

//offlock:replace put 4128c0e2a968
func _() {
	markInserted(ctx, rows, err)
	good := undelivered(ctx, withoutInvalid(rows, err, refuse))
}

// markInserted notes which rows a Put has inserted: all that its error does not name.
func markInserted(ctx context.Context, rows []rowSaver, err error) {
	var failed bigquery.PutMultiError
	if err != nil && !errors.As(err, &failed) {
		return
	}
	named := map[int]bool{}
	for _, row := range failed {
		named[row.RowIndex] = true
	}
	delivery := exporter.DeliveryFrom(ctx)
	for i, row := range rows {
		if !named[i] {
			delivery.Add(row.index)
		}
	}
}

// undelivered returns the rows of which it is not known that BigQuery has them.
func undelivered(ctx context.Context, rows []rowSaver) []rowSaver {
	delivery := exporter.DeliveryFrom(ctx)
	return slices.DeleteFunc(slices.Clone(rows), func(row rowSaver) bool { return delivery.Done(row.index) })
}
