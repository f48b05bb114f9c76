package spool

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"

	"github.com/offlock/offlock/eventstore"
	"github.com/offlock/offlock/exporter"
)

func TestOptions(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct {
		o    Options
		want string
	}{
		"no folder":       {Options{}, "Dir is empty"},
		"MaxBytes":        {Options{Dir: dir, MaxBytes: -1}, "MaxBytes is -1"},
		"MaxAge":          {Options{Dir: dir, MaxAge: -1}, "MaxAge is -1ns"},
		"Timeout":         {Options{Dir: dir, Timeout: -1}, "Timeout is -1ns"},
		"BackoffBase":     {Options{Dir: dir, BackoffBase: -1}, "BackoffBase is -1ns"},
		"BackoffCap":      {Options{Dir: dir, BackoffBase: 2, BackoffCap: 1}, "BackoffCap is 1ns"},
		"a file in place": {Options{Dir: "spool_test.go"}, "was not made"},
	} {
		if _, err := New(&fakeSink{}, test.o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	if _, err := New(nil, Options{Dir: dir}); err == nil {
		t.Error("a nil exporter was taken")
	}
	if _, err := New(&fakeSink{}, Options{Dir: dir}); err != nil {
		t.Error(err)
	}
	if left := tree(t, dir); len(left) > 0 {
		t.Errorf("New left %v in the folder", left)
	}
}

func TestHealthySinkNeedsNoDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &fakeSink{}
		s := open(t, sink, Options{})
		for i := range int64(3) {
			if err := export(s, i); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Export(context.Background(), nil, nil); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]int64{0, 1, 2}, sink.tookFirsts()); diff != "" {
			t.Error(diff)
		}
		if now := s.Stats(); now.Direct != 3 || now.Spooled != 0 || len(tree(t, s.options.Dir)) > 0 {
			t.Errorf("%+v, files %v", now, tree(t, s.options.Dir))
		}
	})
}

// The batch of a failing sink comes back until After is over; then it is on disk, and those that follow line up behind it, under
// their own names, until the sink is well again.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logs
		sink := &fakeSink{do: down}
		s := open(t, sink, Options{After: 10 * time.Second, Logger: log.logger()})
		began := time.Now()
		attempt := func(b *exporter.Batch) { b.Attempt++ }
		for err := export(s, 1); err != nil; err = export(s, 1, attempt) {
			if !errors.Is(err, errDown) {
				t.Fatalf("%v, want the sink's error", err)
			}
			time.Sleep(time.Second)
		}
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("the batch went to disk after %v, want 10 s", took)
		}
		direct := len(sink.called())
		for i := int64(2); i <= 4; i++ {
			if err := export(s, i); err != nil {
				t.Fatal(err)
			}
		}
		now := s.Stats()
		if now.Files != 4 || now.Events != 4 || !now.Oldest.Equal(began.Add(10*time.Second)) || !now.Failing.Equal(began) || now.LastError != errDown {
			t.Errorf("%+v", now)
		}
		time.Sleep(time.Hour)
		if calls := len(sink.called()) - direct; calls < 100 || calls > 1000 {
			t.Errorf("%d calls in an hour, want some hundreds: the backoff's bound is half a minute", calls)
		}
		sink.set(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		if diff := cmp.Diff([]int64{1, 2, 3, 4}, sink.tookFirsts()); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(append(numbered(1, 1), numbered(2, 3)...), sink.events); diff != "" {
			t.Error(diff)
		}
		calls := sink.called()
		for i, call := range calls[1:] {
			if call.First == calls[i].First && call.Attempt != calls[i].Attempt+1 && i > direct {
				t.Errorf("call %d is attempt %d of batch %d, the one before was %d", i+1, call.Attempt, call.First, calls[i].Attempt)
			}
		}
		if last := calls[len(calls)-1]; last.Attempt != 1 || last.Instance != "test" || !last.Began.Equal(time.Unix(1e9, 4)) {
			t.Errorf("the last batch is %+v", last)
		}
		if err := export(s, 5); err != nil || s.Stats().Direct != 1 {
			t.Errorf("after the outage: %v, %+v", err, s.Stats())
		}
		if log.count("batches wait on disk to be sent") != 1 || log.count("no more batches wait on disk") != 1 {
			t.Errorf("the log says %q", log.lines)
		}
	})
}

func TestWhenABatchGoesToDisk(t *testing.T) {
	for name, test := range map[string]struct {
		after  time.Duration
		change func(*exporter.Batch)
		want   bool
	}{
		"the first failure":                    {0, func(*exporter.Batch) {}, false},
		"the first failure, and After below 0": {-1, func(*exporter.Batch) {}, true},
		"the process is stopping":              {0, stoppingBatch, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, &fakeSink{do: down}, Options{After: test.after})
			err := export(s, 1, test.change)
			if now := s.Stats(); (err == nil) != test.want || (now.Spooled == 1) != test.want {
				t.Errorf("%v, %+v", err, now)
			}
		})
	}
}

// A success ends the time that counts towards After.
func TestAfterBeginsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &fakeSink{do: down}
		s := open(t, sink, Options{After: 10 * time.Second})
		for range 5 {
			if err := export(s, 1); err == nil {
				t.Fatal("the batch went to disk")
			}
			time.Sleep(9 * time.Second)
			sink.set(nil)
			if err := export(s, 1); err != nil {
				t.Fatal(err)
			}
			sink.set(down)
		}
	})
}

func TestSinkAsksToWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Time
		sink := &fakeSink{do: func(context.Context, exporter.Batch) error {
			at = append(at, time.Now())
			return eventstore.RetryAfter(errDown, 7*time.Minute)
		}}
		s := open(t, sink, Options{After: -1, BackoffBase: time.Second})
		if err := export(s, 1); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		for i := range at[2:] {
			if waited := at[i+2].Sub(at[i+1]); waited < 7*time.Minute {
				t.Errorf("the sink was called again after %v", waited)
			}
		}
		if len(at) < 5 {
			t.Errorf("%d calls in an hour", len(at))
		}
	})
}

// otherEvent is an event of a kind that a file cannot hold.
type otherEvent struct{ ffexporter.FeatureEvent }

func TestOtherEvents(t *testing.T) {
	sink := &fakeSink{do: down}
	s := open(t, sink, Options{After: -1, BackoffBase: time.Hour, BackoffCap: time.Hour})
	other := func() error {
		return s.Export(context.Background(), nil, append(numbered(1, 1), otherEvent{}))
	}
	var unsupported *UnsupportedError
	if err := other(); !errors.As(err, &unsupported) || !errors.Is(err, errDown) {
		t.Errorf("%v, want both reasons", err)
	} else if _, is := unsupported.Event.(otherEvent); !is {
		t.Errorf("the error names %T", unsupported.Event)
	}
	if err := export(s, 1); err != nil {
		t.Fatal(err)
	}
	before := len(sink.called())
	if err := other(); !errors.As(err, &unsupported) || len(sink.called()) == before {
		t.Errorf("%v, and the sink was called %d times, then %d", err, before, len(sink.called()))
	}
	if err := s.Export(context.Background(), nil, []ffexporter.ExportableEvent{(*ffexporter.FeatureEvent)(nil)}); !errors.As(err, &unsupported) {
		t.Errorf("a nil event: %v", err)
	}
}

// deprecated is an exporter of an interface that the library still takes.
type deprecated struct{ got []ffexporter.FeatureEvent }

func (*deprecated) IsBulk() bool { return false }
func (d *deprecated) Export(_ context.Context, _ *fflog.FFLogger, events []ffexporter.FeatureEvent) error {
	d.got = append(d.got, events...)
	return nil
}

func TestDeprecatedExporter(t *testing.T) {
	d := &deprecated{}
	s := open(t, d, Options{})
	if err := export(s, 7); err != nil || len(d.got) != 1 || d.got[0].Value != int64(7) {
		t.Errorf("%v, got %v", err, d.got)
	}
	if s.IsBulk() {
		t.Error("it is bulk, and the inner exporter is not")
	}
}
