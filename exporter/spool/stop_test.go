package spool

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/offlock/offlock/eventstore"
	"github.com/offlock/offlock/exporter"
)

// What waits at Stop, and what comes after it, is sent by the next spool on the folder, here in the same process.
func TestStopLeavesBatchesToTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &fakeSink{do: down}
		s := open(t, sink, Options{After: -1})
		for i := range int64(2) {
			if err := export(s, i); err != nil {
				t.Fatal(err)
			}
		}
		stop(t, s)
		s.takeOver() // as in a Start that was on its way
		calls := len(sink.called())
		for i := range int64(2) {
			if err := export(s, 2+i); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if len(sink.called()) != calls {
			t.Error("the sink was called after Stop")
		}
		stop(t, s)
		if now := s.Stats(); now.Spooled != 4 || now.Left != 4 || now.Files != 0 || sink.stops != 1 {
			t.Errorf("%+v, the sink was stopped %d times", now, sink.stops)
		}
		next := &fakeSink{}
		s2 := open(t, next, Options{Dir: s.options.Dir})
		s2.Start()
		synctest.Wait()
		if diff := cmp.Diff([]int64{0, 1, 2, 3}, next.tookFirsts()); diff != "" {
			t.Error(diff)
		}
		for _, b := range next.taken {
			if tried := b.First < 2; b.Attempt < 2 && tried || b.Instance != "test" || !b.Began.Equal(time.Unix(1e9, b.First)) {
				t.Errorf("the next process sent %+v", b)
			}
		}
		stop(t, s2)
		if left := tree(t, s.options.Dir); len(left) > 0 || s2.Stats().Adopted != 4 {
			t.Errorf("files %v are left, %+v", left, s2.Stats())
		}
	})
}

// A spool on the same folder that is at work does not touch what another one has.
func TestTwoSpoolsKeepApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sick, well := &fakeSink{do: down}, &fakeSink{}
		one := open(t, sick, Options{After: -1})
		two := open(t, well, Options{Dir: one.options.Dir})
		if err := errors.Join(export(one, 1), export(two, 2)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if diff := cmp.Diff([]int64{2}, well.tookFirsts()); diff != "" {
			t.Error(diff)
		}
		stop(t, one)
		time.Sleep(time.Hour)
		if diff := cmp.Diff([]int64{2, 1}, well.tookFirsts()); diff != "" {
			t.Error("after the first one was stopped", diff)
		}
	})
}

// Stop gives a call that runs its deadline, and the batch of that call goes to disk.
func TestStopDuringACall(t *testing.T) {
	waits := func(ctx context.Context, _ exporter.Batch) error { <-ctx.Done(); return ctx.Err() }
	release := make(chan struct{})
	ignores := func(context.Context, exporter.Batch) error { <-release; return errDown }
	for name, test := range map[string]struct {
		do   func(context.Context, exporter.Batch) error
		sent bool // the call is the sender's
		hung bool
	}{
		"export": {waits, false, false}, "sender": {waits, true, false},
		"export that hangs": {ignores, false, true}, "sender that hangs": {ignores, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release = make(chan struct{})
				sink := &fakeSink{do: test.do}
				var log logs
				s := open(t, sink, Options{After: -1, Timeout: time.Hour, Logger: log.logger()})
				if test.sent {
					sink.set(down)
				}
				var exported error
				go func() { exported = export(s, 1) }()
				synctest.Wait()
				if test.sent {
					sink.set(test.do)
					time.Sleep(time.Minute)
				}
				began := time.Now()
				ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
				defer cancel()
				err := s.Stop(ctx)
				if (err != nil) != test.hung || test.hung && !errors.Is(err, eventstore.ErrHung) || time.Since(began) > 2*time.Second {
					t.Errorf("Stop returned %v after %v", err, time.Since(began))
				}
				synctest.Wait()
				if gaveUp := log.count("gave up") > 0; gaveUp != (test.hung && test.sent) {
					t.Errorf("the log says %q", log.lines)
				}
				if now := s.Stats(); exported != nil || now.Spooled != 1 || now.Sent != 0 {
					t.Errorf("Export returned %v, %+v", exported, now)
				}
				next := &fakeSink{}
				s2 := open(t, next, Options{Dir: s.options.Dir})
				s2.Start()
				synctest.Wait()
				if took := len(next.tookFirsts()); took > 0 && test.hung && test.sent {
					t.Errorf("another spool sent %d batches while the call that hangs had them", took)
				}
				close(release)
				time.Sleep(time.Hour)
				if now := s.Stats(); now.Left != 1 {
					t.Errorf("%+v", now)
				}
				checkSum(t, s.Stats())
				if diff := cmp.Diff([]int64{1}, next.tookFirsts()); diff != "" {
					t.Error(diff)
				}
				_ = s.Stop(context.Background())
			})
		})
	}
}

func TestNothingRunsBeforeTheFirstExport(t *testing.T) {
	before := goleak.IgnoreCurrent()
	s, err := New(&fakeSink{}, Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	goleak.VerifyNone(t, before)
	if err := s.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	s.Start() // does nothing any more
	goleak.VerifyNone(t, before)
}

// Everything at once: nothing is lost, nothing comes twice, and the exporter is never called twice at a time.
func TestSpoolConcurrentSafe(t *testing.T) {
	sink := &fakeSink{}
	var mu sync.Mutex // guards n
	n := 0
	sink.set(func(context.Context, exporter.Batch) error {
		mu.Lock()
		defer mu.Unlock()
		if n++; n%3 == 0 {
			return errDown
		}
		return nil
	})
	s := open(t, sink, Options{After: -1, BackoffBase: time.Microsecond, BackoffCap: time.Millisecond})
	var all sync.WaitGroup
	const callers, each = 8, 40
	for caller := range int64(callers) {
		all.Go(func() {
			for i := range int64(each) {
				if err := export(s, caller*each+i); err != nil {
					t.Error(err)
				}
				s.Start()
				checkSum(t, s.Stats())
				if caller == 0 && i == each/2 {
					all.Go(func() { stop(t, s) })
					all.Go(func() { stop(t, s) })
				}
			}
		})
	}
	all.Wait()
	next := &fakeSink{}
	s2 := open(t, next, Options{Dir: s.options.Dir})
	s2.Start()
	eventually(t, func() bool { return s2.Stats().Files == 0 })
	got := map[int64]int{}
	for _, first := range append(sink.tookFirsts(), next.tookFirsts()...) {
		got[first]++
	}
	for i := range int64(callers * each) {
		if got[i] != 1 {
			t.Errorf("batch %d arrived %d times", i, got[i])
		}
	}
	if sink.most != 1 || sink.stops != 1 {
		t.Errorf("%d calls of the sink at a time, %d of its Stop", sink.most, sink.stops)
	}
}

// The next process has a clock that is half an hour behind. Its batches line up behind those that it found, all the same.
func TestClockThatWasSetBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(30 * time.Minute)
		s := open(t, &fakeSink{do: down}, Options{Dir: dir, After: -1})
		for i := range int64(2) {
			if err := export(s, i); err != nil {
				t.Fatal(err)
			}
		}
	})
	synctest.Test(t, func(t *testing.T) { // whose clock begins at the same time again
		sink := &fakeSink{do: down}
		s := open(t, sink, Options{Dir: dir, After: -1})
		for i := int64(2); i < 4; i++ {
			if err := export(s, i); err != nil {
				t.Fatal(err)
			}
		}
		sink.set(nil)
		time.Sleep(time.Hour)
		if diff := cmp.Diff([]int64{0, 1, 2, 3}, sink.tookFirsts()); diff != "" {
			t.Error(diff)
		}
	})
}
