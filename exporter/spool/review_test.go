package spool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/eventstore"
	"github.com/offlock/offlock/exporter"
)

// A call that was left behind has taken its batch, which is on disk, and Stop comes before the sender has seen that: the next
// process does not send it again.
func TestStopAfterAHungCallTookItsBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		sink := &fakeSink{do: func(context.Context, exporter.Batch) error { <-release; return nil }}
		s := open(t, sink, Options{After: -1, Timeout: 10 * time.Second, BackoffBase: time.Hour, Rand: func() float64 { return 0.99 }})
		for i := range int64(2) {
			if err := export(s, i); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute) // the sender has met the call that hangs, and waits to try again
		close(release)
		synctest.Wait()
		stop(t, s)
		next := &fakeSink{}
		s2 := open(t, next, Options{Dir: s.options.Dir})
		s2.Start()
		synctest.Wait()
		if diff := cmp.Diff([]int64{0, 1}, append(sink.tookFirsts(), next.tookFirsts()...)); diff != "" {
			t.Error(diff)
		}
		if now := s.Stats(); now.Sent != 1 || now.Left != 1 {
			t.Errorf("%+v", now)
		}
	})
}

// A call of Export's that was left behind still runs at Stop: no other spool gets its batch before it has returned.
func TestStopWhileACallOfExportHangs(t *testing.T) {
	for name, outcome := range map[string]error{"taken in the end": nil, "failed in the end": errDown} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				sink := &fakeSink{do: func(context.Context, exporter.Batch) error { <-release; return outcome }}
				s := open(t, sink, Options{After: -1, Timeout: 10 * time.Second})
				if err := export(s, 1); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
				defer cancel()
				if err := s.Stop(ctx); !errors.Is(err, eventstore.ErrHung) {
					t.Errorf("Stop returned %v", err)
				}
				next := &fakeSink{}
				s2 := open(t, next, Options{Dir: s.options.Dir})
				s2.Start()
				time.Sleep(time.Hour)
				close(release)
				time.Sleep(time.Hour)
				if diff := cmp.Diff([]int64{1}, append(sink.tookFirsts(), next.tookFirsts()...)); diff != "" {
					t.Error(diff)
				}
				if now := s.Stats(); now.Files != 0 || now.Sent+now.Left != 1 {
					t.Errorf("%+v", now)
				}
				stop(t, s2)
				stop(t, s)
				if left := tree(t, s.options.Dir); len(left) > 0 {
					t.Errorf("%v is left", left)
				}
			})
		})
	}
}

// A file that somebody tidied away while it was being written says nothing about the folder: it stays the spool's own while
// batches are in it.
func TestUnfinishedFileRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sick, well, d := &fakeSink{do: down}, &fakeSink{}, &faultyDisk{disk: osDisk{}}
		s := open(t, sick, Options{After: -1, BackoffBase: 24 * time.Hour, Rand: func() float64 { return 0.99 }}, d)
		if err := export(s, 1); err != nil {
			t.Fatal(err)
		}
		removed := false
		d.set(func(operation, name string) error {
			if operation != "rename" || removed {
				return nil
			}
			removed = true
			return errors.Join(fs.ErrNotExist, os.Remove(name))
		})
		if err := export(s, 2); err != nil {
			t.Fatal(err)
		}
		other := open(t, well, Options{Dir: s.options.Dir})
		other.Start()
		time.Sleep(time.Hour)
		if took := well.tookFirsts(); len(took) > 0 {
			t.Errorf("another spool sent %v, which this one has", took)
		}
		sick.set(nil)
		time.Sleep(48 * time.Hour)
		if diff := cmp.Diff([]int64{1, 2}, sick.tookFirsts()); diff != "" || s.Stats().Missing != 0 || s.Stats().Adopted != 0 {
			t.Errorf("%s, %+v", diff, s.Stats())
		}
		stop(t, other)
		stop(t, s)
		if left := tree(t, s.options.Dir); len(left) > 0 {
			t.Errorf("%v is left", left)
		}
	})
}

// A process that has no file descriptors left cannot read any file, which is no reason to set one aside; and neither are faults that
// come now and then in a long outage.
func TestFaultsThatAreNotTheFiles(t *testing.T) {
	for name, test := range map[string]struct {
		fault error
		every int
		lasts time.Duration
	}{
		"no descriptors": {syscall.EMFILE, 1, time.Hour}, "now and then": {syscall.EIO, 3, time.Hour},
		"half a minute": {syscall.EIO, 1, unreadableFor / 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sink, d := &fakeSink{do: down}, &faultyDisk{disk: osDisk{}}
				s := open(t, sink, Options{After: -1, BackoffBase: time.Second, BackoffCap: time.Second}, d)
				for i := range int64(3) {
					if err := export(s, i); err != nil {
						t.Fatal(err)
					}
				}
				opened := 0
				d.set(func(operation, _ string) error {
					if operation == "open" {
						if opened++; opened%test.every == 0 {
							return test.fault
						}
					}
					return nil
				})
				time.Sleep(test.lasts)
				d.set(nil)
				sink.set(nil)
				time.Sleep(time.Minute)
				if diff := cmp.Diff([]int64{0, 1, 2}, sink.tookFirsts()); diff != "" || s.Stats().SetAside != 0 {
					t.Errorf("%s, %+v", diff, s.Stats())
				}
			})
		})
	}
}

// A value that holds itself twice is not followed along each of its ways, of which there are more than memory has bytes.
func TestValueThatHoldsItselfTwice(t *testing.T) {
	m, list := map[string]any{"text": "kept"}, []any{nil, nil}
	m["a"], m["b"], list[0], list[1] = m, m, list, list
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, got := trip(t, exporter.Batch{}, ffexporter.FeatureEvent{Key: "key", Value: list, Metadata: m})
		event := got[0].(ffexporter.FeatureEvent)
		if _, err := event.FormatInJSON(); err == nil || event.Key != "key" || event.Metadata["text"] != "kept" {
			t.Errorf("%v, %v", err, event.Key)
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		panic("it does not come to an end")
	}
}

// What fsync is promised for, when the folder is new: it and all that New made above it are on the medium before New returns.
func TestNewFolderIsOnTheMedium(t *testing.T) {
	top := t.TempDir()
	for _, noSync := range []bool{false, true} {
		d := &syncedDisk{disk: osDisk{}}
		dir := filepath.Join(top, map[bool]string{true: "other", false: "some"}[noSync], "where", "spool")
		s, err := newSpool(&fakeSink{}, Options{Dir: dir, NoSync: noSync}, d, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		stop(t, s)
		want := []string{filepath.Dir(dir), filepath.Dir(filepath.Dir(dir)), top}
		if noSync {
			want = nil
		}
		if diff := cmp.Diff(want, d.synced); diff != "" {
			t.Error(diff)
		}
	}
}

type syncedDisk struct {
	disk
	synced []string
}

func (d *syncedDisk) SyncDir(name string) error {
	d.synced = append(d.synced, name)
	return d.disk.SyncDir(name)
}

// An inner exporter whose Stop does not return, or panics, is reported by Stop, by its deadline.
func TestInnerStopThatDoesNotReturn(t *testing.T) {
	for name, test := range map[string]struct {
		stop func() error
		want func(error) bool
	}{
		"hangs": {nil, func(err error) bool {
			return errors.Is(err, eventstore.ErrHung) && errors.Is(err, context.DeadlineExceeded)
		}},
		"panics": {func() error { panic("at the end") }, func(err error) bool { return err != nil && strings.Contains(err.Error(), "at the end") }},
		"fails":  {func() error { return errDown }, func(err error) bool { return errors.Is(err, errDown) }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				if test.stop == nil {
					test.stop = func() error { <-release; return nil }
				}
				s, err := newSpool(stubbornSink{&fakeSink{}, test.stop}, Options{Dir: filepath.Join(t.TempDir(), "spool"), NoSync: true}, osDisk{}, time.Minute)
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					ctx, cancel := context.WithTimeout(context.Background(), time.Second)
					began := time.Now()
					if err := s.Stop(ctx); !test.want(err) || time.Since(began) > time.Second+minGrace {
						t.Errorf("Stop returned %v after %v", err, time.Since(began))
					}
					cancel()
				}
				close(release)
			})
		})
	}
}

type stubbornSink struct {
	*fakeSink
	stop func() error
}

func (k stubbornSink) Stop(context.Context) error { return k.stop() }
