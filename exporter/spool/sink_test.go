package spool

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"

	"github.com/offlock/offlock/exporter"
)

// fakeSink is an exporter that keeps what it took, counts its calls that overlap, and does what the test wants.
type fakeSink struct {
	mu            sync.Mutex                                        // guards the fields below
	do            func(ctx context.Context, b exporter.Batch) error // nil takes the batch
	calls         []exporter.Batch
	taken         []exporter.Batch
	events        []ffexporter.ExportableEvent
	running, most int
	stops         int
}

var errDown = errors.New("the sink is down")

func (k *fakeSink) IsBulk() bool { return true }

func (k *fakeSink) Export(ctx context.Context, _ *fflog.FFLogger, events []ffexporter.ExportableEvent) (err error) {
	b, _ := exporter.BatchFrom(ctx)
	k.mu.Lock()
	do := k.do
	k.calls = append(k.calls, b)
	k.running++
	k.most = max(k.most, k.running)
	k.mu.Unlock()
	failed := true
	defer func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.running--
		if !failed {
			k.taken = append(k.taken, b)
			k.events = append(k.events, events...)
		}
	}()
	if do != nil {
		err = do(ctx, b)
	}
	failed = err != nil
	return err
}

func (k *fakeSink) Stop(context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stops++
	return nil
}

// set changes what the sink does.
func (k *fakeSink) set(do func(ctx context.Context, b exporter.Batch) error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.do = do
}

func down(context.Context, exporter.Batch) error { return errDown }

// firsts returns the first offsets of batches, which name them in these tests.
func firsts(batches []exporter.Batch) (all []int64) {
	for _, b := range batches {
		all = append(all, b.First)
	}
	return all
}

func (k *fakeSink) tookFirsts() []int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return firsts(k.taken)
}

func (k *fakeSink) called() []exporter.Batch {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]exporter.Batch(nil), k.calls...)
}

// batch is a batch of one event, which has the number for its offset and value.
func batch(number int64, change ...func(*exporter.Batch)) (context.Context, []ffexporter.ExportableEvent) {
	b := exporter.Batch{Instance: "test", First: number, Last: number, Attempt: 1, Began: time.Unix(1e9, number).UTC()}
	for _, c := range change {
		c(&b)
	}
	return exporter.WithBatch(context.Background(), b), numbered(number, 1)
}

func stoppingBatch(b *exporter.Batch) { b.Stopping = true }

func export(s *Spool, number int64, change ...func(*exporter.Batch)) error {
	ctx, events := batch(number, change...)
	return s.Export(ctx, nil, events)
}

// open makes a spool that the end of the test stops.
func open(t *testing.T, sink ffexporter.CommonExporter, o Options, d ...disk) *Spool {
	t.Helper()
	if o.Dir == "" {
		o.Dir = filepath.Join(t.TempDir(), "spool")
	}
	o.NoSync = true
	d = append(d, osDisk{})
	s, err := newSpool(sink, o, d[0], time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, s) })
	return s
}

func stop(t *testing.T, s *Spool) {
	t.Helper()
	if err := s.Stop(context.Background()); err != nil {
		t.Errorf("Stop: %v", err)
	}
	checkSum(t, s.Stats())
}

// checkSum fails the test if batches are unaccounted for.
func checkSum(t testing.TB, now Stats) {
	t.Helper()
	if now.Spooled+now.Adopted != int64(now.Files)+now.Sent+now.Dropped+now.SetAside+now.Missing+now.Left {
		t.Errorf("the counts do not add up: %+v", now)
	}
}

// logs keeps the messages of a logger.
type logs struct {
	slog.Handler
	mu    sync.Mutex // guards lines
	lines []string
}

func (l *logs) logger() *slog.Logger                     { return slog.New(l) }
func (l *logs) Enabled(context.Context, slog.Level) bool { return true }
func (l *logs) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *logs) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := r.Message
	r.Attrs(func(a slog.Attr) bool { line += " " + a.String(); return true })
	l.lines = append(l.lines, line)
	return nil
}

// count is how many lines have the text.
func (l *logs) count(text string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

// tree lists all files below a folder.
func tree(t testing.TB, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && path != dir {
			name, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return names
}
