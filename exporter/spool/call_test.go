package spool

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/offlock/offlock/eventstore"
	"github.com/offlock/offlock/exporter"
)

// An exporter that does not return costs its caller the timeout, and no batch: those go to disk, and the one that it took in the
// end is not sent again, wherever it was by then.
func TestExporterThatHangs(t *testing.T) {
	for name, test := range map[string]struct {
		after   time.Duration
		outcome error
		again   bool // the caller tries the batch again before it is on disk
		want    []int64
	}{
		"taken in the end, while it was on disk":     {-1, nil, false, []int64{1, 2}},
		"failed in the end, while it was on disk":    {-1, errDown, false, []int64{1, 2}},
		"taken in the end, while its caller had it":  {time.Hour, nil, true, []int64{1, 2}},
		"failed in the end, while its caller had it": {time.Hour, errDown, true, []int64{1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				sink := &fakeSink{do: func(context.Context, exporter.Batch) error { <-release; return test.outcome }}
				s := open(t, sink, Options{After: test.after, Timeout: 10 * time.Second})
				began := time.Now()
				err := export(s, 1)
				if took := time.Since(began); took < 10*time.Second || took > 11*time.Second {
					t.Errorf("Export returned after %v", took)
				}
				if test.again {
					if !errors.Is(err, eventstore.ErrHung) || !errors.Is(export(s, 1), eventstore.ErrHung) {
						t.Errorf("%v, want ErrHung", err)
					}
				} else if err != nil {
					t.Error(err)
				}
				if now := s.Stats(); !now.Hung || len(sink.called()) != 1 {
					t.Errorf("%d calls, %+v", len(sink.called()), now)
				}
				sink.set(nil)
				close(release)
				synctest.Wait()
				if test.again {
					if err := export(s, 1); err != nil {
						t.Error(err)
					}
				}
				time.Sleep(time.Hour)
				if err := export(s, 2); err != nil {
					t.Error(err)
				}
				if diff := cmp.Diff(test.want, sink.tookFirsts()); diff != "" {
					t.Error(diff)
				}
				now := s.Stats()
				if now.Hung || now.Files != 0 || now.Direct+now.Sent != 2 {
					t.Errorf("%+v", now)
				}
			})
		})
	}
}

// The sender, too, leaves a call behind that hangs, and sends the batch again when that has failed in the end.
func TestExporterThatHangsWithTheSender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		sink := &fakeSink{do: down}
		s := open(t, sink, Options{After: -1, Timeout: 10 * time.Second})
		if err := export(s, 1); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		sink.set(func(context.Context, exporter.Batch) error { <-release; return errDown })
		time.Sleep(time.Minute)
		calls := len(sink.called())
		if err := export(s, 2); err != nil || !s.Stats().Hung {
			t.Errorf("%v, %+v", err, s.Stats())
		}
		time.Sleep(time.Minute)
		if again := len(sink.called()) - calls; again > 0 {
			t.Errorf("%d calls while one hangs", again)
		}
		sink.set(nil)
		close(release)
		time.Sleep(time.Hour)
		if diff := cmp.Diff([]int64{1, 2}, sink.tookFirsts()); diff != "" || s.Stats().Hung {
			t.Errorf("%s, %+v", diff, s.Stats())
		}
	})
}

// The context of the exporter ends early enough for the disk before that of the caller does.
func TestDeadlines(t *testing.T) {
	for name, test := range map[string]struct{ caller, timeout, want time.Duration }{
		"no deadline":      {0, 20 * time.Second, 20 * time.Second},
		"a late one":       {time.Hour, 20 * time.Second, 20 * time.Second},
		"an early one":     {10 * time.Second, 20 * time.Second, 9500 * time.Millisecond},
		"one that is over": {-time.Second, 20 * time.Second, 0},
		"one just as late": {20 * time.Second, 20 * time.Second, 19500 * time.Millisecond},
		"a very early one": {100 * time.Millisecond, 20 * time.Second, 90 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sink := &fakeSink{do: func(ctx context.Context, _ exporter.Batch) error { <-ctx.Done(); return ctx.Err() }}
				s := open(t, sink, Options{Timeout: test.timeout})
				ctx, events := batch(1, stoppingBatch)
				if test.caller != 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.caller)
					defer cancel()
				}
				began := time.Now()
				err := s.Export(ctx, nil, events)
				if took := time.Since(began); took != test.want || err != nil || s.Stats().Spooled != 1 {
					t.Errorf("Export returned %v after %v, want it on disk after %v", err, took, test.want)
				}
			})
		})
	}
}

func TestExporterThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &fakeSink{do: func(context.Context, exporter.Batch) error { panic("at the sink") }}
		s := open(t, sink, Options{After: 10 * time.Second})
		var panicked *eventstore.PanicError
		if err := export(s, 1); !errors.As(err, &panicked) || panicked.Value != "at the sink" {
			t.Errorf("%v, want the panic", err)
		}
		if err := export(s, 1, stoppingBatch); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute)
		if now := s.Stats(); now.Failures <= 2 {
			t.Errorf("the sender met no panic: %+v", now)
		}
		sink.set(nil)
		time.Sleep(time.Minute)
		if diff := cmp.Diff([]int64{1}, sink.tookFirsts()); diff != "" {
			t.Error(diff)
		}
	})
}

// The call that hangs takes its batch at the moment in which that is being written to disk: it is not sent again.
func TestExporterTakesWhatIsBeingWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		sink, d := &fakeSink{do: func(context.Context, exporter.Batch) error { <-release; return nil }}, &faultyDisk{disk: osDisk{}}
		s := open(t, sink, Options{After: -1, Timeout: 10 * time.Second}, d)
		d.set(func(operation, _ string) error {
			if operation == "write" {
				close(release)
				for s.Stats().Hung {
					time.Sleep(time.Millisecond)
				}
			}
			return nil
		})
		if err := export(s, 1); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if now := s.Stats(); len(sink.called()) != 1 || now.Sent != 1 || now.Direct != 0 || now.Files != 0 {
			t.Errorf("%d calls, %+v", len(sink.called()), now)
		}
	})
}
