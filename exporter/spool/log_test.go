package spool

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// Without a logger of its own a spool writes to the one that the library passes.
func TestLoggerOfTheLibrary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logs
		sink := &fakeSink{do: down}
		s := open(t, sink, Options{After: -1})
		ctx, events := batch(1)
		if err := s.Export(ctx, &fflog.FFLogger{LeveledLogger: log.logger()}, events); err != nil {
			t.Fatal(err)
		}
		if err := export(s, 2); err != nil { // with no logger
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		sink.set(nil)
		time.Sleep(time.Hour)
		for _, line := range []string{"spool: batches wait on disk to be sent dir=" + s.options.Dir + " batches=1", "spool: no more batches wait on disk"} {
			if log.count(line) != 1 {
				t.Errorf("%q is not in %q", line, log.lines)
			}
		}
		if log.count("eventstore: a batch was not handled consumer=spool") == 0 {
			t.Errorf("no failure is in %q", log.lines)
		}
	})
}
