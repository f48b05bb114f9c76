//go:build ignore

package exporter_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// pumpTestGuard bounds the waits of these tests: it only elapses where an operation is stuck.
const pumpTestGuard = 10 * time.Second

// sink is an Exporter that notes what it is given, and then does what the test wants of it.
type sink struct {
	live  bool                                      // not bulk
	reply func(ctx context.Context, call int) error // of the call with that number, from 1; nil accepts everything

	mutex    sync.Mutex
	calls    [][]string // the keys that each call was given
	accepted []string
}

func (s *sink) IsBulk() bool { return !s.live }

func (s *sink) Export(ctx context.Context, _ *fflog.FFLogger, events []exporter.ExportableEvent) error {
	keys := make([]string, len(events))
	for i, event := range events {
		keys[i] = event.GetKey()
	}
	s.mutex.Lock()
	s.calls = append(s.calls, keys)
	call := len(s.calls)
	s.mutex.Unlock()

	if s.reply != nil {
		if err := s.reply(ctx, call); err != nil {
			return err
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.accepted = append(s.accepted, keys...)
	return nil
}

func (s *sink) given() [][]string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.calls)
}

func (s *sink) has() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.accepted)
}

// blocked is a reply that does not come before the test is over, deadline or not.
func blocked(t *testing.T) func(context.Context, int) error {
	released := make(chan struct{})
	t.Cleanup(func() { close(released) })
	return func(context.Context, int) error {
		<-released
		return nil
	}
}

// within sets how long Stop may take. The option is named by a string because these tests are to compile, and to fail,
// without it, too.
func within(timeout time.Duration, config exporter.Config) exporter.Config {
	if option := reflect.ValueOf(&config).Elem().FieldByName("StopTimeout"); option.IsValid() {
		option.SetInt(int64(timeout))
	}
	return config
}

func pumped(configs ...exporter.Config) exporter.Manager[exporter.FeatureEvent] {
	return exporter.NewManager[exporter.FeatureEvent](configs, time.Hour, nil)
}

// add adds the events number from to number to-1 and returns their keys.
func add(manager exporter.Manager[exporter.FeatureEvent], from, to int) (keys []string) {
	for i := from; i < to; i++ {
		keys = append(keys, fmt.Sprintf("event %d", i))
		manager.AddEvent(exporter.FeatureEvent{Key: keys[len(keys)-1]})
	}
	return keys
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	require.Eventually(t, is, pumpTestGuard, 20*time.Millisecond, what)
}

// returns fails the test if do does not return.
func returns(t *testing.T, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(pumpTestGuard):
		require.Fail(t, what+" does not return")
	}
}
