package library

import (
	"context"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	ffclient "github.com/thomaspoignant/go-feature-flag"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/ffcontext"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
	"go.uber.org/goleak"

	"github.com/offlock/offlock/exporter"
)

func TestMain(m *testing.M) {
	// The event store of the plain library never ends its clean-up goroutine.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction(
		"github.com/thomaspoignant/go-feature-flag/exporter.(*eventStoreImpl[...]).periodicCleanQueue"))
}

// flags is a retriever with one flag.
type flags struct{}

func (flags) Retrieve(context.Context) ([]byte, error) {
	return []byte("flag:\n  variations: {on: true, off: false}\n  defaultRule: {variation: on}\n"), nil
}

// newClient makes a client of the library, which flushes every ten events and at Close.
func newClient(t testing.TB, inner ffexporter.CommonExporter, kind ffclient.ExporterEventType) *ffclient.GoFeatureFlag {
	t.Helper()
	client, err := ffclient.New(ffclient.Config{
		PollingInterval: -1, // the flag does not change
		Retriever:       flags{},
		DataExporter: ffclient.DataExporter{
			FlushInterval: time.Hour, MaxEventInMemory: 10, Exporter: inner, ExporterEventType: kind,
		},
	})
	if err != nil {
		t.Fatalf("the library's client: %v", err)
	}
	return client
}

func newAsync(t testing.TB, inner ffexporter.CommonExporter) *exporter.Async {
	t.Helper()
	a, err := exporter.NewAsync(inner, exporter.AsyncOptions{MaxBatches: 10_000, BackoffBase: 1, BackoffCap: 1})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func user(n int) string { return fmt.Sprint("user-", n) }

// evaluate has the client evaluate the flag.
func evaluate(t testing.TB, client *ffclient.GoFeatureFlag, n int) {
	t.Helper()
	if on, err := client.BoolVariation("flag", ffcontext.NewEvaluationContext(user(n)), false); !on || err != nil {
		t.Errorf("evaluation %d: %v, %v", n, on, err)
	}
}

// sink is what an exporter of any kind does with its events: it counts each user's, and fails the first time. It has no
// lock, so that the race detector tells if two calls overlap.
type sink struct {
	calls int
	users map[string]int
}

func (s *sink) take(keys ...string) error {
	s.calls++
	if s.calls == 1 {
		return fmt.Errorf("the sink is down")
	}
	if s.users == nil {
		s.users = map[string]int{}
	}
	for _, key := range keys {
		s.users[key]++
	}
	return nil
}

// wantOnce fails the test unless each of n users has one event.
func (s *sink) wantOnce(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		if got := s.users[user(i)]; got != 1 {
			t.Errorf("user %d has %d events, want 1", i, got)
		}
	}
	if len(s.users) != n {
		t.Errorf("events of %d users arrived, want %d", len(s.users), n)
	}
}

func userKeys[E ffexporter.ExportableEvent](events []E) []string {
	var keys []string
	for _, e := range events {
		keys = append(keys, e.GetUserKey())
	}
	return keys
}

// Exporters of each kind.
type (
	bulk    struct{}
	current struct {
		bulk
		sink
	}
	deprecatedV1 struct {
		bulk
		sink
	}
	deprecatedV2 struct {
		bulk
		sink
	}
	single struct {
		current
	}
	blocked struct {
		current
		entered, release chan struct{}
	}
)

func (bulk) IsBulk() bool    { return true }
func (*single) IsBulk() bool { return false }

func (e *current) Export(_ context.Context, _ *fflog.FFLogger, events []ffexporter.ExportableEvent) error {
	return e.take(userKeys(events)...)
}

func (e *deprecatedV1) Export(_ context.Context, logger *log.Logger, events []ffexporter.FeatureEvent) error {
	logger.Print("the client has no logger, and this one works")
	return e.take(userKeys(events)...)
}

func (e *deprecatedV2) Export(_ context.Context, _ *fflog.FFLogger, events []ffexporter.FeatureEvent) error {
	return e.take(userKeys(events)...)
}

// Export is blocked until release is closed.
func (e *blocked) Export(ctx context.Context, logger *fflog.FFLogger, events []ffexporter.ExportableEvent) error {
	select {
	case e.entered <- struct{}{}:
	case <-e.release:
	}
	<-e.release
	return e.current.Export(ctx, logger, events)
}

// While the first call of the exporter is blocked, evaluations, CollectEventData and Close return, all of them; when it is
// released, all events arrive, once.
func TestClientNeverWaits(t *testing.T) {
	const callers, each = 4, 100
	inner := &blocked{entered: make(chan struct{}), release: make(chan struct{})}
	a := newAsync(t, inner)
	client := newClient(t, a, ffclient.FeatureEventExporter)
	var all sync.WaitGroup
	var returned atomic.Int64
	for caller := range callers {
		all.Go(func() {
			for i := range each {
				n := 2 * (caller*each + i)
				evaluate(t, client, n)
				returned.Add(1)
				client.CollectEventData(ffexporter.FeatureEvent{Kind: "feature", UserKey: user(n + 1)})
				returned.Add(1)
			}
		})
	}
	<-inner.entered
	all.Wait()
	client.Close() // waits for the goroutines in which the evaluations add their events

	const total = 2 * callers * each
	s := a.Stats()
	if returned.Load() != total || s.Events.Added != total || s.Calls != 1 || s.Events.Handled != 0 || s.Events.Dropped != 0 {
		t.Errorf("while the exporter is blocked, %d of %d calls have returned: %+v", returned.Load(), total, s)
	}
	close(inner.release)
	if err := a.Stop(context.Background()); err != nil {
		t.Errorf("Stop: %v", err)
	}
	inner.wantOnce(t, total)
}

// The same without an Async: the client's caller is in the exporter, so what has returned is what came before the threshold.
func TestClientWaitsWithoutAsync(t *testing.T) {
	inner := &blocked{entered: make(chan struct{}), release: make(chan struct{})}
	client := newClient(t, inner, ffclient.FeatureEventExporter)
	var returned atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 20 {
			client.CollectEventData(ffexporter.FeatureEvent{Kind: "feature", UserKey: user(i)})
			returned.Add(1)
		}
	}()
	<-inner.entered
	if n := returned.Load(); n != 9 {
		t.Errorf("%d calls have returned while the exporter is blocked, want the 9 below the threshold", n)
	}
	close(inner.release)
	<-done
	client.Close()
}

// Every event arrives once at an exporter of each kind, which fails the first time that it is called.
func TestClientEveryKindOfExporter(t *testing.T) {
	const events = 103
	v1, v2, now, one := &deprecatedV1{}, &deprecatedV2{}, &current{}, &single{}
	for _, test := range []struct {
		name  string
		inner ffexporter.CommonExporter
		sink  *sink
	}{
		{"deprecated V1", v1, &v1.sink},
		{"deprecated V2", v2, &v2.sink},
		{"current", now, &now.sink},
		{"not bulk", one, &one.sink},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := newAsync(t, test.inner)
			client := newClient(t, a, ffclient.FeatureEventExporter)
			for i := range events {
				if i%2 == 0 {
					evaluate(t, client, i)
				} else {
					client.CollectEventData(ffexporter.FeatureEvent{Kind: "feature", UserKey: user(i)})
				}
			}
			client.Close()
			if err := a.Stop(context.Background()); err != nil {
				t.Errorf("Stop: %v", err)
			}
			test.sink.wantOnce(t, events)
			s := a.Stats()
			if s.Failures != 1 || s.Events.Handled != events || int64(test.sink.calls) != s.Calls {
				t.Errorf("stats: %+v, want %d events handled and 1 failure of %d calls", s, events, test.sink.calls)
			}
			if s.Batches.Handled >= events {
				t.Errorf("%d events were collected into %d batches", events, s.Batches.Handled)
			}
		})
	}
}

func TestClientTracking(t *testing.T) {
	const events = 25
	inner := &current{}
	a := newAsync(t, inner)
	client := newClient(t, a, ffclient.TrackingEventExporter)
	for i := range events {
		client.Track("bought", ffcontext.NewEvaluationContext(user(i)), map[string]any{"price": i})
	}
	client.Close()
	if err := a.Stop(context.Background()); err != nil {
		t.Errorf("Stop: %v", err)
	}
	inner.wantOnce(t, events)
}
