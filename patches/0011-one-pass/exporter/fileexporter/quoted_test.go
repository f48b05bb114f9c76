//go:build ignore

package fileexporter_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/exporter/fileexporter"
)

// The fields of the default template are quoted where they must be. Templates of users are taken by the letter.
func TestFile_QuotedCSV(t *testing.T) {
	event := exporter.FeatureEvent{Kind: "feature", ContextKind: "user", UserKey: "a;b", CreationDate: 7, Key: "fl\"ag",
		Variation: "on", Value: "line\nbreak", Source: "SERVER"}
	row := []string{"feature", "user", "a;b", "7", "fl\"ag", "on", "line\nbreak", "false", "SERVER"}
	tests := []struct {
		name, template string
		quoted         bool
	}{
		{name: "default", quoted: true},
		{name: "default, spelled out", template: exporter.DefaultCsvTemplate, quoted: true},
		{name: "default, because it is broken", template: "{{ .Kind", quoted: true},
		{name: "own", template: "{{ .Kind}};{{ .ContextKind}};{{ .UserKey}};{{ .CreationDate}};{{ .Key}};{{ .Variation}};" +
			"{{ .Value}};{{ .Default}};{{ .Source}}\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			f := &fileexporter.Exporter{Format: "csv", OutputDir: dir, Filename: "events", CsvTemplate: tt.template}
			require.NoError(t, f.Export(context.Background(), nil, []exporter.ExportableEvent{event, event}))
			content, err := os.ReadFile(filepath.Join(dir, "events"))
			require.NoError(t, err)
			if !tt.quoted {
				line := fmt.Sprintf("%s\r\n", strings.Join(row, ";"))
				assert.Equal(t, line+line, string(content))
				return
			}
			rows := csv.NewReader(bytes.NewReader(content))
			rows.Comma = ';'
			got, err := rows.ReadAll()
			require.NoError(t, err)
			assert.Equal(t, [][]string{row, row}, got)
		})
	}
}
