package spool

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/offlock/offlock/exporter"
)

// size is what the file of a batch of one event takes.
func size(t *testing.T) int64 {
	t.Helper()
	sink := &fakeSink{do: down}
	s := open(t, sink, Options{After: -1})
	if err := export(s, 1); err != nil {
		t.Fatal(err)
	}
	return s.Stats().Bytes
}

func TestMaxBytes(t *testing.T) {
	one := size(t)
	synctest.Test(t, func(t *testing.T) {
		var log logs
		sink := &fakeSink{do: down}
		s := open(t, sink, Options{After: -1, MaxBytes: 3 * one, Logger: log.logger()})
		for i := int64(1); i <= 10; i++ {
			if err := export(s, i); err != nil {
				t.Fatal(err)
			}
			if now := s.Stats(); now.Bytes > 3*one || now.Files != int(min(i, 3)) {
				t.Errorf("after batch %d: %+v", i, now)
			}
		}
		if now := s.Stats(); now.Dropped != 7 || now.DroppedEvents != 7 || log.count("are being dropped") != 1 {
			t.Errorf("%+v, %q", now, log.lines)
		}
		if files := tree(t, s.options.Dir); len(files) != 2+3 {
			t.Errorf("the folder holds %v", files)
		}
		time.Sleep(3 * time.Minute)
		if log.count("no more batches are being dropped") != 1 || log.count("batches=7 events=7") != 1 {
			t.Errorf("%q", log.lines)
		}
		sink.set(nil)
		time.Sleep(time.Hour)
		if diff := cmp.Diff([]int64{8, 9, 10}, sink.tookFirsts()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestBatchLargerThanMaxBytes(t *testing.T) {
	s := open(t, &fakeSink{do: down}, Options{After: -1, MaxBytes: size(t) - 1})
	if err := export(s, 1); !errors.Is(err, ErrTooLarge) || !errors.Is(err, errDown) {
		t.Errorf("%v, want both reasons", err)
	}
}

func TestMaxAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &fakeSink{do: down}
		s := open(t, sink, Options{After: -1, MaxAge: time.Hour, BackoffBase: 24 * time.Hour, Rand: func() float64 { return 0.99 }})
		for i := range int64(3) {
			if err := export(s, i); err != nil {
				t.Fatal(err)
			}
			time.Sleep(25 * time.Minute)
		}
		// The first is 75 minutes old: a rescan, once a minute, has dropped it, long before the sender tries again.
		if now := s.Stats(); now.Dropped != 1 || now.Files != 2 {
			t.Errorf("%+v", now)
		}
		stop(t, s)
		time.Sleep(12 * time.Minute)
		next := &fakeSink{}
		s2 := open(t, next, Options{Dir: s.options.Dir, MaxAge: time.Hour})
		s2.Start()
		synctest.Wait()
		if diff := cmp.Diff([]int64{2}, next.tookFirsts()); diff != "" || s2.Stats().Dropped != 1 {
			t.Errorf("the next process: %s, %+v", diff, s2.Stats())
		}
	})
}

// What another process left is not dropped to keep MaxBytes: it waits until there is room.
func TestTakeOverKeepsTheBound(t *testing.T) {
	one := size(t)
	synctest.Test(t, func(t *testing.T) {
		sick := open(t, &fakeSink{do: down}, Options{After: -1})
		for i := range int64(5) {
			if err := export(sick, i); err != nil {
				t.Fatal(err)
			}
		}
		sink := &fakeSink{do: down}
		s := open(t, sink, Options{Dir: sick.options.Dir, After: -1, MaxBytes: 4 * one})
		if err := export(s, 5); err != nil {
			t.Fatal(err)
		}
		stop(t, sick)
		time.Sleep(time.Hour)
		if now := s.Stats(); now.Files != 1 || now.Dropped != 0 {
			t.Errorf("%+v", now)
		}
		sink.set(nil)
		time.Sleep(time.Hour)
		if diff := cmp.Diff([]int64{5, 0, 1, 2, 3, 4}, sink.tookFirsts()); diff != "" || s.Stats().Dropped != 0 {
			t.Errorf("%s, %+v", diff, s.Stats())
		}
	})
}

// The batch that is being sent is not dropped to make room: it may have arrived already.
func TestTheOneBeingSentIsNotDropped(t *testing.T) {
	one := size(t)
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		sink := &fakeSink{do: down}
		s := open(t, sink, Options{After: -1, MaxBytes: 2 * one, Timeout: time.Hour})
		if err := export(s, 0); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		sink.set(func(context.Context, exporter.Batch) error { <-release; return nil })
		time.Sleep(time.Minute) // the sender holds the first one
		for i := int64(1); i <= 3; i++ {
			if err := export(s, i); err != nil {
				t.Fatal(err)
			}
		}
		close(release)
		time.Sleep(time.Minute)
		if diff := cmp.Diff([]int64{0, 3}, sink.tookFirsts()); diff != "" || s.Stats().Dropped != 2 {
			t.Errorf("%s, %+v", diff, s.Stats())
		}
	})
}
