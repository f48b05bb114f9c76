package eventstore

import (
	"bytes"
	"context"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// newLog returns a logger and what it has logged, line by line without the times.
func newLog() (*slog.Logger, func() []string) {
	var text bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
	return logger, func() []string { return strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n") }
}

// wantLines fails the test unless the lines match these patterns, one by one.
func wantLines(t *testing.T, lines []string, patterns ...string) {
	t.Helper()
	same := len(lines) == len(patterns)
	for i := 0; same && i < len(lines); i++ {
		same = regexp.MustCompile("^" + patterns[i] + "$").MatchString(lines[i])
	}
	if !same {
		t.Fatalf("the log has\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(patterns, "\n"))
	}
}

func TestPumpLogsFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logger, lines := newLog()
		r := newRig(t, ConsumerOptions{}, PumpOptions{Logger: logger, Timeout: time.Second, Rand: constant(0.5)}, func(_ context.Context, h handed) error {
			switch h.Number {
			case 1:
				return errSink
			case 2:
				panic("at the sink")
			case 3:
				time.Sleep(time.Minute)
				return errSink
			}
			return nil
		})
		r.append(3)
		_ = r.pump.Flush(context.Background())
		after(time.Hour)
		r.stop(t)
		wantLines(t, lines(),
			`level=WARN msg="eventstore: a batch was not handled" consumer=sink first=0 last=2 error="the sink is down" attempt=1 wait=50ms`,
			`level=ERROR msg="eventstore: a batch was not handled" consumer=sink first=0 last=2 error=".*at the sink" stack="goroutine .*TestPumpLogsFailures.*" attempt=2 wait=100ms`,
			`level=ERROR msg="eventstore: the handler does not return; .*" consumer=sink first=0 last=2 attempt=3`,
			`level=WARN msg="eventstore: a batch was not handled" consumer=sink first=0 last=2 error="the sink is down" attempt=3 wait=200ms`,
		)
	})
}

// However many events are dropped, and in however many batches the rest goes, a burst has a first and a last line.
func TestPumpLogsBursts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logger, lines := newLog()
		o := PumpOptions{Logger: logger, Interval: 10 * time.Second, Rand: constant(0)}
		r := newRig(t, ConsumerOptions{Threshold: 1, MaxLag: 16}, o, func(context.Context, handed) error {
			time.Sleep(time.Second)
			return nil
		})
		r.pump.Start()
		after(time.Millisecond)
		for range 2 {
			for range 500 {
				r.append(1)
				after(25 * time.Millisecond) // 40 a second, into 16 a second
			}
			after(time.Minute)
		}
		dropped := `level=WARN msg="eventstore: the oldest events are being dropped, .*" consumer=sink dropped=1`
		ended := `level=WARN msg="eventstore: no more events are being dropped" consumer=sink dropped=([0-9]{3})`
		wantLines(t, lines(), dropped, ended, dropped, ended)
		var sum int64
		for _, line := range lines() {
			if m := regexp.MustCompile(ended).FindStringSubmatch(line); m != nil {
				for i, n := 0, int64(0); i < 3; i++ {
					n = 10*n + int64(m[1][i]-'0')
					if i == 2 {
						sum += n
					}
				}
			}
		}
		if stats := r.pump.Stats(); sum != stats.Dropped || stats.Handled+stats.Dropped != 1000 {
			t.Errorf("the log has %d dropped events, the stats are %+v", sum, stats)
		}
		if err := r.pump.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func TestPumpLogsStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logger, lines := newLog()
		r := newRig(t, ConsumerOptions{MaxLag: 5}, PumpOptions{Logger: logger, MaxBatch: 2}, func(context.Context, handed) error {
			time.Sleep(time.Hour)
			return errSink
		})
		r.append(2)
		go func() { _ = r.pump.Flush(context.Background()) }()
		after(0)
		r.append(8)
		_ = r.pump.Stop(timeout(t, time.Second))
		after(time.Hour)
		wantLines(t, lines(),
			`level=WARN msg="eventstore: the oldest events are being dropped, .*" consumer=sink dropped=3`,
			`level=WARN msg="eventstore: no more events are being dropped" consumer=sink dropped=3`,
			`level=ERROR msg="eventstore: the handler does not return; .*" consumer=sink first=0 last=1 attempt=1`,
			`level=ERROR msg="eventstore: Stop gave up" consumer=sink left=7 error=".*context deadline exceeded: .*does not return.*"`,
			`level=ERROR msg="eventstore: a batch was dropped, its handler failed after .*" consumer=sink first=0 last=1 error="the sink is down"`,
		)
	})
}

// A handler's nil of the type of an error is an error, and no reason to end the process.
func TestPumpHandlerReturnsNilPanicError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logger, _ := newLog()
		r := newRig(t, ConsumerOptions{}, PumpOptions{Logger: logger}, func(_ context.Context, h handed) error {
			if h.Number == 1 {
				return (*PanicError)(nil)
			}
			return nil
		})
		r.append(1)
		_ = r.pump.Flush(context.Background())
		after(time.Hour)
		r.stop(t)
		if s := r.pump.Stats(); s.Failures != 1 || s.Handled != 1 {
			t.Errorf("%+v", s)
		}
	})
}
