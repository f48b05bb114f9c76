package exporter_test

import (
	"bytes"
	"context"
	"errors"
	"log"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"

	"github.com/offlock/offlock/exporter"
)

// bulk and single are what exporters of the tests embed.
type (
	bulk   struct{}
	single struct{}
)

func (bulk) IsBulk() bool   { return true }
func (single) IsBulk() bool { return false }

// v1 and v2 have the deprecated interfaces.
type v1 struct {
	bulk
	export func(*log.Logger, []ffexporter.FeatureEvent) error
}

func (e *v1) Export(_ context.Context, logger *log.Logger, events []ffexporter.FeatureEvent) error {
	return e.export(logger, events)
}

type v2 struct {
	bulk
	export func(*fflog.FFLogger, []ffexporter.FeatureEvent) error
}

func (e *v2) Export(_ context.Context, logger *fflog.FFLogger, events []ffexporter.FeatureEvent) error {
	return e.export(logger, events)
}

// foreign has an Export that the library does not know.
type foreign struct{ bulk }

func (foreign) Export([]ffexporter.FeatureEvent) error { return nil }

func TestNewSinkErrors(t *testing.T) {
	for _, test := range []struct {
		name  string
		inner ffexporter.CommonExporter
		want  error
	}{
		{"nil", nil, exporter.ErrNoExporter},
		{"nil pointer", (*v1)(nil), exporter.ErrNoExporter},
		{"nil function", funcSink(nil), exporter.ErrNoExporter},
		{"no Export", bulk{}, exporter.ErrNotExporter},
		{"another Export", foreign{}, exporter.ErrNotExporter},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := exporter.NewSink(test.inner); !errors.Is(err, test.want) {
				t.Errorf("NewSink: %v, want %v", err, test.want)
			}
			if _, err := exporter.NewAsync(test.inner, exporter.AsyncOptions{}); !errors.Is(err, test.want) {
				t.Errorf("NewAsync: %v, want %v", err, test.want)
			}
		})
	}
}

func TestNewSinkCurrentInterface(t *testing.T) {
	g := newGate()
	sink, err := exporter.NewSink(g)
	if err != nil || sink != ffexporter.Exporter(g) {
		t.Errorf("NewSink returns %v, %v, want its argument", sink, err)
	}
}

// A deprecated exporter gets its feature events, whatever else is between them, and a logger that can be called.
func TestNewSinkDeprecated(t *testing.T) {
	var got []ffexporter.FeatureEvent
	var fails error
	for name, inner := range map[string]ffexporter.CommonExporter{
		"V1": &v1{export: func(l *log.Logger, events []ffexporter.FeatureEvent) error {
			l.Print("called")
			got = append(got, events...)
			return fails
		}},
		"V2": &v2{export: func(l *fflog.FFLogger, events []ffexporter.FeatureEvent) error {
			l.GetLogLogger(slog.LevelError).Print("called")
			got = append(got, events...)
			return fails
		}},
	} {
		sink, err := exporter.NewSink(inner)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !sink.IsBulk() {
			t.Errorf("%s: the sink is not bulk, its inner exporter is", name)
		}
		second := feature(2)
		events := []ffexporter.ExportableEvent{feature(1), ffexporter.TrackingEvent{Key: "t"}, &second, (*ffexporter.FeatureEvent)(nil)}
		var lines, legacy bytes.Buffer
		for _, logger := range []*fflog.FFLogger{
			nil,
			{},
			{LeveledLogger: slog.New(slog.NewTextHandler(&lines, nil))},
			{LegacyLogger: log.New(&legacy, "", 0)},
		} {
			got = nil
			if err := sink.Export(context.Background(), logger, events); err != nil {
				t.Errorf("%s: Export: %v", name, err)
			}
			if diff := cmp.Diff([]ffexporter.FeatureEvent{feature(1), second}, got); diff != "" {
				t.Errorf("%s: exported (-want +got):\n%s", name, diff)
			}
		}
		if !strings.Contains(lines.String(), "called") || !strings.Contains(legacy.String(), "called") {
			t.Errorf("%s: the logger of the library was not used: %q, %q", name, &lines, &legacy)
		}
		got = nil
		if err := sink.Export(context.Background(), nil, events[1:2]); err != nil || got != nil {
			t.Errorf("%s: a batch of other events alone: %v, exported %v; want no call", name, err, got)
		}
		fails = errors.New("down")
		if err := sink.Export(context.Background(), nil, events); !errors.Is(err, fails) {
			t.Errorf("%s: Export: %v, want %v", name, err, fails)
		}
		fails = nil
	}
}

// Events that are set aside are logged once, and counted once for a batch that is tried twice.
func TestSetAside(t *testing.T) {
	var lines bytes.Buffer
	failures := 1
	a := newAsync(t, &v2{export: func(*fflog.FFLogger, []ffexporter.FeatureEvent) error {
		failures--
		if failures >= 0 {
			return errors.New("down")
		}
		return nil
	}}, exporter.AsyncOptions{BackoffBase: 1, BackoffCap: 1})
	logger := &fflog.FFLogger{LeveledLogger: slog.New(slog.NewTextHandler(&lines, nil))}
	for range 2 {
		events := []ffexporter.ExportableEvent{feature(1), ffexporter.TrackingEvent{}, ffexporter.TrackingEvent{}}
		if err := a.Export(context.Background(), logger, events); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	if s := a.Stats(); s.SetAside != 4 || s.Events.Handled != 6 || s.Failures != 1 {
		t.Errorf("stats: %+v; want 4 events set aside of 6 handled, and 1 failure", s)
	}
	if n := strings.Count(lines.String(), "set aside"); n != 1 {
		t.Errorf("%d lines about it, want 1:\n%s", n, &lines)
	}
}
