package exporter_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"runtime"
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

func TestNewAsyncOptions(t *testing.T) {
	for _, o := range []exporter.AsyncOptions{
		{MaxBatches: -1}, {MaxEvents: -1}, {MaxAttempts: -1}, {Full: 2}, {Full: -1},
		{Timeout: -1}, {BackoffBase: -1}, {BackoffCap: -1}, {BackoffBase: 2, BackoffCap: 1},
	} {
		if a, err := exporter.NewAsync(newGate(), o); err == nil || a != nil {
			t.Errorf("NewAsync(%+v) returns %v, %v, want an error", o, a, err)
		}
	}
}

// A name is the same at each attempt, and no two batches share an offset.
func TestAsyncNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		a := newAsync(t, g, exporter.AsyncOptions{Instance: "pod-7"})
		began := time.Now()
		hand(t, a, 0, 3)
		time.Sleep(time.Second)
		hand(t, a, 3, 2)

		var got []exporter.Batch
		take := func(err error) {
			c := <-g.calls
			got = append(got, c.Batch)
			c.reply <- err
		}
		take(errDown)
		take(errDown)
		stopped := make(chan error)
		synctest.Wait() // the third attempt is to come during Stop
		go func() { stopped <- a.Stop(context.Background()) }()
		synctest.Wait()
		take(nil)
		take(nil)
		if err := <-stopped; err != nil {
			t.Errorf("Stop: %v", err)
		}
		first := exporter.Batch{Instance: "pod-7", First: 0, Last: 2, Began: began}
		second := exporter.Batch{Instance: "pod-7", First: 3, Last: 4, Began: began.Add(time.Second), Attempt: 1, Stopping: true}
		want := []exporter.Batch{first, first, first, second}
		for i := range 3 {
			want[i].Attempt, want[i].Stopping = i+1, i == 2
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("names (-want +got):\n%s", diff)
		}
	})
}

// Instances of different processes differ.
func TestAsyncInstance(t *testing.T) {
	seen := map[string]bool{}
	for range 10 {
		a := newAsync(t, funcSink(func(ctx context.Context, _ *fflog.FFLogger, _ []ffexporter.ExportableEvent) error {
			b, _ := exporter.BatchFrom(ctx)
			seen[b.Instance] = true
			return nil
		}), exporter.AsyncOptions{})
		hand(t, a, 0, 1)
		if err := a.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != 10 || seen[""] {
		t.Errorf("10 exporters have the instances %v", seen)
	}
	if b, ok := exporter.BatchFrom(context.Background()); ok {
		t.Errorf("a context without a batch has %+v", b)
	}
}

// A server's wait is honoured, and a call's context ends after Timeout.
func TestAsyncRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		a := newAsync(t, g, exporter.AsyncOptions{Timeout: 20 * time.Second})
		hand(t, a, 0, 1)
		c := <-g.calls
		begun := time.Now()
		if deadline, ok := c.ctx.Deadline(); !ok || deadline.Sub(begun) != 20*time.Second {
			t.Errorf("the deadline of a call is %v from now, want 20 s", deadline.Sub(begun))
		}
		c.reply <- eventstore.RetryAfter(errDown, 17*time.Minute)
		c = <-g.calls
		if waited := time.Since(begun); waited != 17*time.Minute {
			t.Errorf("the retry came after %v, want 17 minutes", waited)
		}
		c.reply <- nil
		if err := a.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// One batch may wait even if it alone exceeds MaxEvents: dropping each such batch would export nothing, ever.
func TestAsyncLargeBatch(t *testing.T) {
	for _, full := range []exporter.DropPolicy{exporter.DropOldest, exporter.DropNewest} {
		t.Run(full.String(), func(t *testing.T) {
			g := newGate()
			a := newAsync(t, g, exporter.AsyncOptions{MaxEvents: 5, Full: full})
			hand(t, a, 0, 9) // is in flight
			c := <-g.calls
			hand(t, a, 9, 9)
			hand(t, a, 18, 9)
			wantCounts(t, a.Stats(),
				exporter.AsyncCounts{Added: 3, Dropped: 1, InFlight: 1, Waiting: 1},
				exporter.AsyncCounts{Added: 27, Dropped: 9, InFlight: 9, Waiting: 9})
			c.reply <- nil
			c = <-g.calls
			want := map[exporter.DropPolicy]int64{exporter.DropOldest: 18, exporter.DropNewest: 9}[full]
			if c.First != want {
				t.Errorf("the first event of the second batch is %d, want %d", c.First, want)
			}
			c.reply <- nil
			if err := a.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAsyncRefusesAfterStop(t *testing.T) {
	a := newAsync(t, newGate(), exporter.AsyncOptions{})
	before := runtime.NumGoroutine()
	if err := a.Stop(context.Background()); err != nil {
		t.Errorf("Stop of an exporter that was never used: %v", err)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines after Stop, %d before", after, before)
	}
	if err := a.Export(context.Background(), nil, numbered(0, 7)); !errors.Is(err, exporter.ErrStopped) {
		t.Errorf("Export after Stop: %v, want ErrStopped", err)
	}
	s := a.Stats()
	if s.RefusedBatches != 1 || s.RefusedEvents != 7 {
		t.Errorf("refused: %d batches, %d events, want 1 and 7", s.RefusedBatches, s.RefusedEvents)
	}
	wantCounts(t, s, exporter.AsyncCounts{}, exporter.AsyncCounts{})
}

func TestAsyncStartsNothingBeforeExport(t *testing.T) {
	before := runtime.NumGoroutine()
	var all []*exporter.Async
	for range 50 {
		a := newAsync(t, newGate(), exporter.AsyncOptions{})
		if err := a.Export(context.Background(), nil, nil); err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	if after := runtime.NumGoroutine(); after-before >= 50 {
		t.Errorf("%d exporters that were handed nothing have %d goroutines", len(all), after-before)
	}
}

// lineLog is a log of the library that keeps its lines, and blocks while it is told to.
type lineLog struct {
	lines []string
	block chan struct{} // each line receives from it if it is not nil
}

func (l *lineLog) Write(p []byte) (int, error) {
	if l.block != nil {
		<-l.block
	}
	l.lines = append(l.lines, string(p))
	return len(p), nil
}

func (l *lineLog) logger() *fflog.FFLogger {
	return &fflog.FFLogger{LegacyLogger: log.New(l, "", 0)}
}

// messages are the lines without what a logger puts before them.
func (l *lineLog) messages() []string {
	var all []string
	for _, line := range l.lines {
		_, message, _ := strings.Cut(line, "exporter: ")
		all = append(all, strings.TrimSpace(message))
	}
	return all
}

// However many batches a burst drops, it has two lines, and Export waits for neither.
func TestAsyncLogsBursts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := &lineLog{block: make(chan struct{})}
		g := newGate()
		a := newAsync(t, g, exporter.AsyncOptions{MaxBatches: 2})
		for range 2 { // bursts
			for i := range 100 {
				if err := a.Export(context.Background(), lines.logger(), numbered(i, 10)); err != nil {
					t.Fatal(err)
				}
				synctest.Wait() // it is in the log by now if it is ever to be: a second line would find this one
			}
			lines.block <- struct{}{}
			for range 3 {
				c := <-g.calls
				c.reply <- nil
			}
			lines.block <- struct{}{}
		}
		if err := a.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		burst := []string{
			"the oldest batches are being dropped, more wait than may batches 1 events 10 MaxBatches 2 MaxEvents 1000000",
			"no more batches are being dropped batches 97 events 970",
		}
		if diff := cmp.Diff(append(burst, burst...), lines.messages()); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
		s := a.Stats()
		wantCounts(t, s,
			exporter.AsyncCounts{Added: 200, Handled: 6, Dropped: 194},
			exporter.AsyncCounts{Added: 2000, Handled: 60, Dropped: 1940})
	})
}

// slowDrops is a log that takes its time for the beginning of a burst.
type slowDrops struct {
	slog.Handler
	wait time.Duration
}

func (slowDrops) Enabled(context.Context, slog.Level) bool { return true }

func (h slowDrops) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "are being dropped") && !strings.Contains(r.Message, "no more") {
		time.Sleep(h.wait)
	}
	return nil
}

// Stop waits for a line that is being logged, but not beyond its deadline.
func TestAsyncStopWaitsForTheLog(t *testing.T) {
	for _, test := range []struct {
		name   string
		logger time.Duration // takes so long for a line
		want   time.Duration // Stop takes
	}{{"slow", 5 * time.Second, 5 * time.Second}, {"hung", time.Hour, 20 * time.Second}} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGate()
				a := newAsync(t, g, exporter.AsyncOptions{MaxBatches: 1, Logger: slog.New(slowDrops{slog.DiscardHandler, test.logger})})
				for i := range 3 {
					hand(t, a, i, 1)
					synctest.Wait() // the first is in flight, the second waits
				}
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				defer cancel()
				begun := time.Now()
				go func() {
					for range 2 {
						(<-g.calls).reply <- nil
					}
				}()
				if err := a.Stop(ctx); err != nil {
					t.Error(err)
				}
				if took := time.Since(begun); took != test.want {
					t.Errorf("Stop took %v, want %v", took, test.want)
				}
				time.Sleep(2 * time.Hour) // the line is out
			})
		})
	}
}

// A batch that is given up after a failure holds the next one up no longer, whatever wait it asked for.
func TestAsyncGivesUpAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		a := newAsync(t, g, exporter.AsyncOptions{MaxAttempts: 1})
		begun := time.Now()
		hand(t, a, 0, 1)
		hand(t, a, 1, 1)
		(<-g.calls).reply <- eventstore.RetryAfter(errDown, time.Hour)
		(<-g.calls).reply <- nil
		if waited := time.Since(begun); waited != 0 {
			t.Errorf("the second batch waited for %v", waited)
		}
		if err := a.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		wantCounts(t, a.Stats(), exporter.AsyncCounts{Added: 2, Dropped: 1, Handled: 1}, exporter.AsyncCounts{Added: 2, Dropped: 1, Handled: 1})
	})
}

// Failures are told with the batch's own name, hung calls once.
func TestAsyncLogsFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := &lineLog{}
		g := newGate()
		a := newAsync(t, g, exporter.AsyncOptions{Instance: "pod", MaxAttempts: 2, Timeout: time.Second})
		for range 2 {
			if err := a.Export(context.Background(), lines.logger(), numbered(0, 3)); err != nil {
				t.Fatal(err)
			}
		}
		for _, err := range []error{errDown, errDown, nil} {
			c := <-g.calls
			time.Sleep(time.Minute)
			c.reply <- err
		}
		if err := a.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		hung := "the inner exporter does not return; nothing else is exported before it does instance pod first %d last %d attempt %d"
		want := []string{
			fmt.Sprintf(hung, 0, 2, 1),
			"a batch was not exported and is tried again instance pod first 0 last 2 attempt 1 error the sink is down",
			fmt.Sprintf(hung, 0, 2, 2),
			"a batch was not exported and is dropped, this was its last attempt instance pod first 0 last 2 attempt 2 error the sink is down",
			fmt.Sprintf(hung, 3, 5, 1),
		}
		if diff := cmp.Diff(want, lines.messages()); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
	})
}

// Whatever the library passes, the inner exporter gets a logger that can be called.
func TestAsyncInnerLogger(t *testing.T) {
	own := &lineLog{}
	for _, logger := range []*fflog.FFLogger{nil, {}, own.logger()} {
		a := newAsync(t, funcSink(func(_ context.Context, l *fflog.FFLogger, _ []ffexporter.ExportableEvent) error {
			l.GetLogLogger(0).Print("from the inner exporter")
			return nil
		}), exporter.AsyncOptions{})
		if err := a.Export(context.Background(), logger, numbered(0, 1)); err != nil {
			t.Fatal(err)
		}
		if err := a.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
		if s := a.Stats(); s.Failures != 0 {
			t.Errorf("with the logger %+v: %v", logger, s.LastError)
		}
	}
	if len(own.lines) != 1 {
		t.Errorf("the library's logger has %q, want one line", own.lines)
	}
}
