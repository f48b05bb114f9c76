//go:build ignore

package fileexporter_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/exporter/fileexporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
	"github.com/xitongsys/parquet-go-source/local"
	"github.com/xitongsys/parquet-go/reader"
)

// panicky is a value that cannot be encoded, and says so in the worst way.
type panicky struct{}

func (panicky) MarshalJSON() ([]byte, error) { panic("no") }

func flagEvent(user string, value any) exporter.ExportableEvent {
	return exporter.FeatureEvent{Kind: "feature", UserKey: user, Key: "flag", Value: value}
}

func trackingEvent(user string, details map[string]any) exporter.ExportableEvent {
	return exporter.TrackingEvent{Kind: "tracking", UserKey: user, Key: "purchase", TrackingDetails: details}
}

// readUsers returns what a file says of each user: its line, or its value in a parquet file.
func readUsers(t *testing.T, path string) map[string]string {
	t.Helper()
	users := map[string]string{}
	if filepath.Ext(path) != ".parquet" {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		for line := range strings.Lines(string(content)) {
			_, user, _ := strings.Cut(line, "user-")
			users["user-"+user[:1]] = strings.TrimSpace(line)
		}
		return users
	}
	file, err := local.NewLocalFileReader(path)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	rows, err := reader.NewParquetReader(file, new(exporter.FeatureEvent), 1)
	require.NoError(t, err)
	defer rows.ReadStop()
	events := make([]exporter.FeatureEvent, rows.GetNumRows())
	require.NoError(t, rows.Read(&events))
	for _, event := range events {
		users[event.UserKey] = fmt.Sprint(event.Value)
	}
	return users
}

func logTo(buffer *bytes.Buffer) *fflog.FFLogger {
	return &fflog.FFLogger{LeveledLogger: slog.New(slog.NewTextHandler(buffer, nil))}
}

func TestFile_PoisonIsSetAside(t *testing.T) {
	tests := []struct {
		name, format, template string
		poison                 []exporter.ExportableEvent
		reason                 string
	}{
		{name: "numbers that JSON does not have", format: "json", reason: "unsupported value: +Inf",
			poison: []exporter.ExportableEvent{flagEvent("user-x", math.Inf(1)), flagEvent("user-y", math.NaN())}},
		{name: "deep in a value", format: "json", reason: "unsupported type: func()",
			poison: []exporter.ExportableEvent{flagEvent("user-x", map[string]any{"a": []any{func() {}}})}},
		{name: "metadata", format: "json", reason: "unsupported type: chan int",
			poison: []exporter.ExportableEvent{exporter.FeatureEvent{UserKey: "user-x", Value: 1,
				Metadata: map[string]any{"a": make(chan int)}}}},
		{name: "tracking details", format: "json", reason: "unsupported value: NaN",
			poison: []exporter.ExportableEvent{trackingEvent("user-x", map[string]any{"amount": math.NaN()})}},
		{name: "panic", format: "json", reason: "panic: no",
			poison: []exporter.ExportableEvent{flagEvent("user-x", panicky{})}},
		{name: "channel", format: "csv", reason: "can't print",
			poison: []exporter.ExportableEvent{flagEvent("user-x", make(chan int))}},
		{name: "template that looks into the value", format: "csv", template: "{{ .UserKey}};{{ .Value.name}}\n",
			reason: "can't evaluate field name", poison: []exporter.ExportableEvent{flagEvent("user-x", struct{}{})}},
		{name: "no value", format: "parquet", reason: "no value",
			poison: []exporter.ExportableEvent{flagEvent("user-x", nil)}},
		{name: "value that is no JSON", format: "parquet", reason: "unsupported value",
			poison: []exporter.ExportableEvent{flagEvent("user-x", math.Inf(-1)), flagEvent("user-y", func() {})}},
		{name: "unknown type", format: "parquet", reason: "unknown type of event",
			poison: []exporter.ExportableEvent{struct{ exporter.FeatureEvent }{}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			dir := t.TempDir()
			f := &fileexporter.Exporter{OutputDir: dir, Format: tt.format, CsvTemplate: tt.template,
				Filename: "{{ .Batch}}.{{ .Format}}"}
			value := map[string]any{"name": "value"}
			events := append([]exporter.ExportableEvent{flagEvent("user-a", value)}, tt.poison...)
			events = append(events, flagEvent("user-b", value))

			require.NotPanics(t, func() {
				require.NoError(t, f.Export(context.Background(), logTo(&log), events))
				require.NoError(t, f.Export(context.Background(), logTo(&log), tt.poison), "nothing else in the batch")
			})

			paths, err := filepath.Glob(filepath.Join(dir, "*"))
			require.NoError(t, err)
			require.Len(t, paths, 1, "a batch that leaves nothing has no file")
			users := readUsers(t, paths[0])
			assert.Len(t, users, 2)
			assert.Contains(t, users, "user-a")
			assert.Contains(t, users, "user-b")
			assert.Contains(t, log.String(), tt.reason)
			assert.Equal(t, 2, strings.Count(log.String(), fmt.Sprintf("events=%d", len(tt.poison))))
		})
	}
}

// What a Manager adds after a poisonous batch is exported, and what it has added before is not exported again.
func TestFile_PoisonDoesNotHoldUpTheOthers(t *testing.T) {
	dir := t.TempDir()
	manager := exporter.NewManager[exporter.FeatureEvent]([]exporter.Config{{
		Exporter:         &fileexporter.Exporter{OutputDir: dir, Filename: "events.{{ .Format}}"},
		MaxEventInMemory: 5, FlushInterval: time.Hour, StopTimeout: time.Second,
	}}, time.Hour, logTo(new(bytes.Buffer)))
	for i := range 20 {
		var value any = i
		if i%7 == 3 {
			value = math.Inf(1)
		}
		manager.AddEvent(exporter.FeatureEvent{UserKey: "user-", Value: value})
	}
	manager.Stop()

	content, err := os.ReadFile(filepath.Join(dir, "events.json"))
	require.NoError(t, err)
	assert.Equal(t, 17, bytes.Count(content, []byte("\n")))
}

// A template that no event fits is the user's to correct: the events are kept until then.
func TestFile_TemplateForNothing(t *testing.T) {
	for _, event := range []exporter.ExportableEvent{flagEvent("user-a", true), trackingEvent("user-a", nil)} {
		var log bytes.Buffer
		dir := t.TempDir()
		f := &fileexporter.Exporter{OutputDir: dir, Format: "csv", CsvTemplate: "{{ .UserKey}};{{ .Nothing}}\n"}
		err := f.Export(context.Background(), logTo(&log), []exporter.ExportableEvent{event, event})
		assert.ErrorContains(t, err, "Nothing")
		assert.Empty(t, log.String())
	}
}

func TestFile_TrackingEventsInCSV(t *testing.T) {
	event := exporter.TrackingEvent{
		Kind: "tracking", ContextKind: "user", UserKey: "user-a", CreationDate: 7, Key: "purchase",
		EvaluationContext: map[string]any{"plan": "pro"},
		TrackingDetails:   map[string]any{"amount": 12, "currency": "EUR"},
	}
	const byDefault = "tracking;user;user-a;7;purchase;map[plan:pro];map[amount:12 currency:EUR]"
	tests := []struct{ name, template, want string }{
		{"default", "", byDefault},
		{"the default for feature events, spelled out", exporter.DefaultCsvTemplate, byDefault},
		{"broken", "{{ .Kind", byDefault},
		{"one of its own", "{{ .UserKey}},{{ .Key}}\n", "user-a,purchase"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			f := &fileexporter.Exporter{OutputDir: dir, Format: "CSV", CsvTemplate: tt.template, Filename: "events"}
			require.NoError(t, f.Export(context.Background(), nil, []exporter.ExportableEvent{event, &event}))
			content, err := os.ReadFile(filepath.Join(dir, "events"))
			require.NoError(t, err)
			assert.Equal(t, tt.want+"\n"+tt.want+"\n", string(content))
		})
	}
}

// A column of maps holds strings. Other values were written as "<int Value>", and nil failed the batch for ever.
func TestFile_ParquetMaps(t *testing.T) {
	values := map[string]any{"s": "text", "i": 1, "n": nil, "l": []any{1, "a"}, "b": true}
	want := map[string]any{"s": "text", "i": "1", "n": "null", "l": `[1,"a"]`, "b": "true"}
	dir := t.TempDir()
	f := &fileexporter.Exporter{OutputDir: dir, Format: "parquet"}
	require.NoError(t, f.Export(context.Background(), nil, []exporter.ExportableEvent{
		exporter.FeatureEvent{Value: 1, Metadata: values},
		&exporter.FeatureEvent{Value: 1, Metadata: values},
	}))
	paths, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Len(t, paths, 1)
	file, err := local.NewLocalFileReader(paths[0])
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	rows, err := reader.NewParquetReader(file, new(exporter.FeatureEvent), 1)
	require.NoError(t, err)
	defer rows.ReadStop()
	events := make([]exporter.FeatureEvent, rows.GetNumRows())
	require.NoError(t, rows.Read(&events))
	require.Len(t, events, 2)
	for _, event := range events {
		assert.Equal(t, want, event.Metadata)
	}
	assert.Len(t, values, 5, "the map of the event")
	assert.Equal(t, 1, values["i"], "the map of the event")
}
