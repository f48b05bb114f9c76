package spool

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"

	"github.com/offlock/offlock/eventstore"
	"github.com/offlock/offlock/exporter"
)

// rescanInterval is how often a spool looks for what dead processes left, and for files that are too old. Arbitrary.
const rescanInterval = time.Minute

// Spool is an exporter that writes batches to disk while the inner one fails, and sends them later. Use [New]. All methods may be
// called at the same time; the inner exporter is called by one goroutine at a time.
type Spool struct {
	inner   ffexporter.Exporter
	stopper stopper // what is to be stopped with it, or nil
	options Options
	disk    disk
	rescan  time.Duration

	// turn has room for one: who has put something in may call the inner exporter, and takes it out when the call returns.
	turn chan struct{}
	// alive ends when Stop has no more time for calls of the inner exporter that Export makes.
	alive    context.Context
	endCalls context.CancelFunc

	// wakes holds an event while there may be something to send. The pump handles it by sending one batch, with all that
	// belongs to trying again.
	wakes *eventstore.Store[wake]
	pump  *eventstore.Pump[wake]

	// starting is held while Start looks for the batches of earlier processes, so that no Export goes ahead of them.
	starting sync.Once
	stopping sync.Once // calls the Stop of the inner exporter
	// innerEnded is closed when that has returned. innerStopped is what it returned: written before that, read after it.
	innerEnded   chan struct{}
	innerStopped error

	// folders is held while folders are claimed and taken over, and while a batch is written: so batches get onto disk in
	// the order of their names. It is taken before mu.
	folders   sync.Mutex
	own       *folder // where batches are written, once there is one
	lastStamp int64   // the time in the name of the last file

	// mu guards the fields below and the counts of folders and files. Nothing is waited for while it is held, neither is the disk.
	mu       sync.Mutex
	waiting  []*file // oldest first, with the one that is being sent
	sending  *file
	removals []*file // settled, but the disk did not remove them
	adopted  map[string]*folder
	counts   Stats // of what happened; Files, Bytes, Events and Oldest are those of waiting
	health   health
	logged   logged
	woken    bool   // an event is in wakes; there is never a second one
	instance string // with offset, names batches that come without a name
	offset   int64
	logger   *fflog.FFLogger
	timer    *time.Timer

	stopped bool
	stopBy  time.Time     // the deadline of Stop, if there is one
	busy    int           // calls that use the folders: they began before Stop
	quiet   chan struct{} // closed when stopped, and nothing is busy
}

// wake is an event that says nothing but that it is there.
type wake struct{}

// New makes a spool around the exporter, which may be of the library's current interface or of one of the two deprecated
// ones. It makes the folder if need be, and proves that batches can be written there, but keeps nothing open and
// starts nothing: a spool that was neither started nor used needs no Stop.
func New(inner ffexporter.CommonExporter, o Options) (*Spool, error) {
	return newSpool(inner, o, osDisk{}, rescanInterval)
}

func newSpool(inner ffexporter.CommonExporter, o Options, d disk, rescan time.Duration) (*Spool, error) {
	sink, err := exporter.NewSink(inner)
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	if o, err = o.complete(); err != nil {
		return nil, err
	}
	s := &Spool{
		inner: sink, options: o, disk: d, rescan: rescan,
		stopper: stopperOf(inner), turn: make(chan struct{}, 1), adopted: map[string]*folder{}, quiet: make(chan struct{}), innerEnded: make(chan struct{}),
		instance: rand.Text(),
	}
	if s.options.Logger == nil {
		s.options.Logger = slog.New(&borrowedLog{spool: s})
	}
	if s.wakes, err = eventstore.New[wake](eventstore.Options{SegmentSize: 4}); err != nil {
		return nil, err
	}
	consumer, err := s.wakes.Consumer("spool", eventstore.ConsumerOptions{Threshold: 1})
	if err != nil {
		return nil, err
	}
	s.pump, err = eventstore.NewPump(consumer, s.send, eventstore.PumpOptions{
		Timeout: o.Timeout, BackoffBase: o.BackoffBase, BackoffCap: o.BackoffCap, Logger: s.options.Logger, Rand: o.Rand,
	})
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	if err := s.probe(); err != nil {
		return nil, err
	}
	s.alive, s.endCalls = context.WithCancel(context.Background())
	return s, nil
}

// probe makes all that a batch needs, and takes it away again.
func (s *Spool) probe() error {
	if err := s.makeDir(); err != nil {
		return fmt.Errorf("spool: the folder was not made: %w", err)
	}
	f, err := claim(s.disk, s.options.Dir)
	if err != nil {
		return fmt.Errorf("spool: the folder %s cannot be used: %w", s.options.Dir, err)
	}
	defer f.release(s.disk)
	// Whatever is left of it counts as never finished, should the process end here.
	name := filepath.Join(f.path, fileName(0, 0)+unfinished)
	if err := errors.Join(s.disk.Write(name, []byte{0}, !s.options.NoSync), s.disk.Remove(name)); err != nil {
		return fmt.Errorf("spool: the folder %s cannot be written to: %w", s.options.Dir, err)
	}
	return nil
}

// makeDir makes the folder, and sees to it that it is on the medium, with what was made above it: what is in it is to stay.
func (s *Spool) makeDir() error {
	var grown []string // the folders that have a new one in them
	for dir := filepath.Clean(s.options.Dir); !s.options.NoSync; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			break
		}
		grown = append(grown, filepath.Dir(dir))
	}
	err := s.disk.MkdirAll(s.options.Dir)
	for _, dir := range grown {
		if err == nil {
			err = s.disk.SyncDir(dir)
		}
	}
	return err
}

// Start takes over the batches that earlier processes left, and starts to send them. Export calls it, too. It may be called
// again; after Stop it does nothing.
func (s *Spool) Start() {
	s.starting.Do(func() {
		s.mu.Lock()
		stopped := s.stopped
		s.mu.Unlock()
		if stopped {
			return
		}
		s.pump.Start()
		s.takeOver()
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.stopped {
			s.timer = time.AfterFunc(s.rescan, s.lookAround)
		}
	})
}

// IsBulk is the inner exporter's. The library calls one that is not bulk at each event, so that each can become a file.
func (s *Spool) IsBulk() bool { return s.inner.IsBulk() }

// Export hands the batch to the inner exporter, and acknowledges it, by returning nil, when that has taken it or when it is on
// disk. It is written to disk
//   - at once, if older ones wait there or after Stop: the inner exporter is not called, and the order is kept;
//   - if the inner exporter fails, and has failed for the time After, or the batch is Stopping, or Stop was called meanwhile.
//
// Otherwise Export returns the error of the inner exporter, to be called again with the same batch; and if the disk fails,
// both errors. A batch with other events than the library's cannot be written (an [UnsupportedError]): it is always handed to the
// inner exporter, ahead of those that wait, but for after Stop.
//
// The inner exporter gets a context that ends before the caller's, so that time is left for the disk, which itself is not
// bounded by the context. An exporter that does not return when its context has ended is left behind; until it does return all other
// calls fail without it being called. It reads its events for so long.
func (s *Spool) Export(ctx context.Context, logger *fflog.FFLogger, events []ffexporter.ExportableEvent) error {
	if len(events) == 0 {
		return nil
	}
	s.Start()
	b, admitted := s.begin(ctx, logger, len(events))
	if admitted {
		defer s.leave()
	}
	switch {
	case s.tookLate(b):
		return nil
	case !admitted:
		return s.storeLate(untried(b), events)
	}
	if s.behind() {
		err := s.store(untried(b), events)
		if unsupported := (*UnsupportedError)(nil); !errors.As(err, &unsupported) {
			return err
		}
	}
	err := s.attempt(ctx, b, logger, events)
	if err == nil || !s.due(b) {
		return err
	}
	if failed := s.store(b, events); failed != nil {
		return errors.Join(err, failed)
	}
	return nil
}

// begin admits a call of Export, unless Stop was called before, and returns its batch.
func (s *Spool) begin(ctx context.Context, logger *fflog.FFLogger, events int) (b exporter.Batch, admitted bool) {
	b, named := exporter.BatchFrom(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !named {
		b = exporter.Batch{Instance: s.instance, First: s.offset, Last: s.offset + int64(events) - 1, Attempt: 1, Began: time.Now()}
		s.offset += int64(events)
	}
	if logger != nil {
		s.logger = logger
	}
	return b, s.enterLocked()
}

// untried is the batch before the attempt that its caller meant: the number on disk is that of the attempts that were made.
func untried(b exporter.Batch) exporter.Batch {
	b.Attempt--
	return b
}

// enterLocked admits something that uses the folders, unless Stop was called. It ends with leave.
func (s *Spool) enterLocked() bool {
	if s.stopped {
		return false
	}
	s.busy++
	return true
}

func (s *Spool) leave() {
	s.mu.Lock()
	s.busy--
	if s.stopped && s.busy == 0 {
		close(s.quiet)
	}
	s.mu.Unlock()
	s.letGo()
}

// behind says whether batches wait on disk.
func (s *Spool) behind() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting) > 0
}
