package parquetread

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/offlock/offlock/exporter/encode"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/exporter/fileexporter"
)

// writeLibrary returns the name of a file of go-feature-flag's file exporter.
func writeLibrary(t *testing.T, events []ffexporter.ExportableEvent) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "library.parquet")
	values := make([]ffexporter.ExportableEvent, len(events)) // it leaves pointers out
	for i, e := range events {
		if p, ok := e.(*ffexporter.TrackingEvent); ok {
			e = *p
		}
		values[i] = e
	}
	e := fileexporter.Exporter{Format: "parquet", OutputDir: filepath.Dir(name), Filename: filepath.Base(name)}
	if err := e.Export(context.Background(), nil, values); err != nil {
		t.Fatal(err)
	}
	return name
}

// Queries and table definitions made for the library's files fit ours: the same
// leaf columns in the same order, with the same physical and converted types and
// the same levels.
func TestColumnsAreTheLibrarys(t *testing.T) {
	for name, events := range map[string][]ffexporter.ExportableEvent{"feature": features(100)[:3], "tracking": trackings(3)} {
		want := columns(t, writeLibrary(t, events))
		if len(want) < 9 {
			t.Fatalf("%s: only %d columns", name, len(want))
		}
		if diff := cmp.Diff(want, columns(t, write(t, encode.ParquetOptions{}, events))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func columns(t *testing.T, name string) (out []string) {
	s := openArrow(t, name).MetaData().Schema
	for i := range s.NumColumns() {
		c := s.Column(i)
		out = append(out, fmt.Sprintf("%s: %v, %v, %v, levels %d and %d", c.Path(), c.PhysicalType(), c.ConvertedType(),
			c.SchemaNode().RepetitionType(), c.MaxRepetitionLevel(), c.MaxDefinitionLevel()))
	}
	return out
}
