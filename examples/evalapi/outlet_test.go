package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/offlock/offlock/examples/evalapi/internal/backends"
	"github.com/thomaspoignant/go-feature-flag/exporter"
)

// setAsync is a service with this module's exporters, with a spool if there is a folder for it.
func setAsync(t *testing.T, dir string) {
	t.Helper()
	t.Setenv("ASYNC_EXPORT", "true")
	t.Setenv("SPOOL_DIR", dir)
	t.Setenv("SPOOL_AFTER", "1ms")
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	t.Setenv("AWS_RETRY_MODE", "standard")
}

// Many flushes within a second, which the library's exporter would give one name, and a stop without a wait for the timer.
func TestAsyncEveryEventLandsOnce(t *testing.T) {
	for name, dir := range map[string]string{"without a spool": "", "with a spool that is not needed": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, backends.Options{Flags: 1})
			setAsync(t, dir)
			t.Setenv("MAX_EVENTS_IN_MEMORY", "10")
			s := startService(t)
			want := map[string]int{}
			for i := range 10 {
				var users []string
				for j := range 15 {
					users = append(users, fmt.Sprintf("u-%d-%d", i, j))
					want[users[j]] = 1
				}
				collectEvents(t, s.url, users...)
			}
			last, err := s.stop()
			if err != nil {
				t.Error(err)
			}
			held := w.tally()
			if diff := cmp.Diff(want, held.Users); diff != "" {
				t.Errorf("events in S3 by user (-want +got):\n%s", diff)
			}
			if held.Objects < 10 {
				t.Errorf("%d objects of batches of ten, and 150 events", held.Objects)
			}
			checkAccounts(t, last, account{Exporter: s3Exporter, Added: 150, Exported: 150})
		})
	}
}

// What cannot be sent before the end is on disk, and the next process sends it.
func TestSpoolIsSentByTheNextProcess(t *testing.T) {
	w := newWorld(t, backends.Options{Flags: 1})
	setAsync(t, t.TempDir())
	w.setFaults(`{"status":503,"code":"SlowDown"}`)
	first := startService(t)
	collectEvents(t, first.url, "a", "b", "c")
	last, err := first.stop()
	if err != nil {
		t.Error(err)
	}
	checkAccounts(t, last, account{Exporter: s3Exporter, Added: 3, Pending: 3, Spooled: 1})
	if held := w.tally(); held.Events != 0 || held.FailedPuts == 0 {
		t.Errorf("during the outage: %+v", held)
	}

	w.setFaults(`{}`)
	next := startService(t)
	for pending := int64(1); pending > 0; { // the test's deadline bounds it
		pending = readStats(t, next.url).Exporters[0].Pending
	}
	if last, err = next.stop(); err != nil {
		t.Error(err)
	}
	checkAccounts(t, last, account{Exporter: s3Exporter, Exported: 3})
	if diff := cmp.Diff(map[string]int{"a": 1, "b": 1, "c": 1}, w.tally().Users); diff != "" {
		t.Errorf("events in S3 by user (-want +got):\n%s", diff)
	}
}

// Without a spool what could not be sent is lost, and counted; the stop ends in time.
func TestAsyncStopEndsInTime(t *testing.T) {
	w := newWorld(t, backends.Options{Flags: 1})
	setAsync(t, "")
	t.Setenv("CLOSE_TIMEOUT", "200ms")
	w.setFaults(`{"stall":true}`)
	s := startService(t)
	collectEvents(t, s.url, "a", "b")
	last, err := s.stop()
	if err != nil || !last.Stopped {
		t.Errorf("last line %+v, %v", last, err)
	}
	checkAccounts(t, last, account{Exporter: s3Exporter, Added: 2, Dropped: 2})
	if log := s.stderr.String(); !strings.Contains(log, "exporter=s3") || !strings.Contains(log, "2 events") {
		t.Errorf("the log does not tell of what was lost:\n%s", log)
	}
}

// As a process: the exporter that hangs never gives its goroutine back.
func TestAsyncHungExporterHoldsUpNobody(t *testing.T) {
	w := newWorld(t, backends.Options{Flags: 1})
	setAsync(t, t.TempDir())
	t.Setenv("HUNG_EXPORTER", "true")
	t.Setenv("CLOSE_TIMEOUT", "500ms")
	p := startProcess(t)
	collectEvents(t, p.url, "a", "b")
	last, err := p.terminate()
	if err != nil || !last.Stopped {
		t.Errorf("last line %+v, exit %v\n%s", last, err, p.stderr.String())
	}
	checkAccounts(t, last,
		account{Exporter: hungExporter, Added: 2, Pending: 2, Hung: true}, account{Exporter: s3Exporter, Added: 2, Exported: 2})
	if diff := cmp.Diff(map[string]int{"a": 1, "b": 1}, w.tally().Users); diff != "" {
		t.Errorf("events in S3 by user (-want +got):\n%s", diff)
	}
}

func TestSpoolFolderThatCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := config{bucket: "b", async: true, spoolDir: file, spoolAfter: time.Second}
	if _, err := newOutlets(cfg, nil); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("error %v, want one that names %s", err, file)
	}
}

func TestCounter(t *testing.T) {
	c := &counter{Exporter: closedSink{}}
	events := []exporter.ExportableEvent{exporter.FeatureEvent{}, exporter.FeatureEvent{}}
	if err := c.Export(t.Context(), nil, events); err == nil || c.events.Load() != 0 {
		t.Errorf("a failure: %v, %d events counted", err, c.events.Load())
	}
	c.Exporter = &recordingExporter{}
	if err := errors.Join(c.Export(t.Context(), nil, events), c.Export(t.Context(), nil, events[:1])); err != nil || c.events.Load() != 3 {
		t.Errorf("%v, %d events counted, want 3", err, c.events.Load())
	}
}

// checkAccounts compares those of the last line, which must add up. Of the peak it is enough that it is one.
func checkAccounts(t *testing.T, last stopped, want ...account) {
	t.Helper()
	for i := range last.Exporters {
		if a := &last.Exporters[i]; a.PeakPending < a.Pending {
			t.Errorf("%+v: less than is pending", *a)
		} else {
			a.PeakPending = 0
		}
	}
	if diff := cmp.Diff(want, last.Exporters); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
}

func readStats(t *testing.T, url string) (got stats) {
	t.Helper()
	_, answer := request(t, http.MethodGet, url+"/stats", "")
	if err := json.Unmarshal(answer, &got); err != nil {
		t.Fatal(err)
	}
	return got
}
