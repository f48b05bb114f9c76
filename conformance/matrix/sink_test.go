package matrix

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"

	"github.com/offlock/offlock/exporter"
	"github.com/offlock/offlock/exporter/encode"
)

// fault is what is wrong with a sink. The zero value is none.
type fault struct {
	name string
	// calls is how many calls are affected; the first ones.
	calls int
	// before is what happens to such a call before it has done anything. It gets the context of the call, and hang is
	// closed when the test ends.
	before func(ctx context.Context, hang <-chan struct{}) error
	// after is what happens to one that has stored its events, or a part of them.
	after func() error
	// part is how much of a batch is stored then: all, or this share in percent.
	part int
	// hangs says that a call does not return before the test ends.
	hangs bool
	// poison says that one event of the second batch cannot be encoded.
	poison bool
}

var errUnwell = errors.New("the sink is unwell")

var faults = []fault{
	{name: "none"},
	{name: "slow", calls: 3, before: func(ctx context.Context, _ <-chan struct{}) error {
		<-ctx.Done() // as long as the caller allows
		return context.Cause(ctx)
	}},
	{name: "hung", calls: 1, hangs: true, before: func(_ context.Context, hang <-chan struct{}) error {
		<-hang
		return errUnwell
	}},
	{name: "failing", calls: 4, before: func(context.Context, <-chan struct{}) error { return errUnwell }},
	{name: "partial", calls: 2, part: 50, after: func() error { return errUnwell }},
	{name: "stored, but the answer is lost", calls: 2, part: 100, after: func() error { return errUnwell }},
	{name: "panicking", calls: 2, before: func(context.Context, <-chan struct{}) error { panic("the sink is unwell") }},
	{name: "poison", poison: true},
}

// sink is an exporter that keeps, under the name of each batch, what it got for it last: as a bucket does. It is the
// exporter of a sink that replaces, so what arrives twice under one name counts once.
type sink struct {
	fault fault
	hang  <-chan struct{}

	mu      sync.Mutex // guards the rest; it is not held during a fault
	calls   int
	running int
	overlap bool                // two calls ran at the same time
	objects map[string][]string // the users of the events of each
	refused int
}

func (s *sink) IsBulk() bool { return true }

func (s *sink) Export(ctx context.Context, _ *fflog.FFLogger, events []ffexporter.ExportableEvent) error {
	s.mu.Lock()
	s.calls++
	unwell := s.calls <= s.fault.calls
	s.running++
	s.overlap = s.overlap || s.running > 1
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.running--
		s.mu.Unlock()
	}()

	if unwell && s.fault.before != nil {
		if err := s.fault.before(ctx, s.hang); err != nil {
			return err
		}
	}
	batch, ok := exporter.BatchFrom(ctx)
	if !ok {
		return errors.New("the batch has no name")
	}
	if unwell && s.fault.after != nil {
		if err := s.store(batch, events[:len(events)*s.fault.part/100]); err != nil {
			return err
		}
		return s.fault.after()
	}
	return s.store(batch, events)
}

func (s *sink) store(batch exporter.Batch, events []ffexporter.ExportableEvent) error {
	var body bytes.Buffer
	refused, err := encode.JSON{}.Encode(&body, events)
	if err != nil {
		return err
	}
	users, err := usersOf(body.Bytes())
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused += len(refused)
	if s.objects == nil {
		s.objects = map[string][]string{}
	}
	s.objects[fmt.Sprint(batch.Instance, batch.First, batch.Last)] = users
	return nil
}

// again is the sink as another process finds it: well, with what is stored there.
type again struct{ *sink }

func (s *again) Export(ctx context.Context, _ *fflog.FFLogger, events []ffexporter.ExportableEvent) error {
	batch, ok := exporter.BatchFrom(ctx)
	if !ok {
		return errors.New("the batch has no name")
	}
	return s.store(batch, events)
}

// stored is how often each user's event is there.
func (s *sink) stored(*testing.T) map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return count(maps.Values(s.objects))
}

func (s *sink) setAside() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

// usersOf are the users of the events in JSON lines.
func usersOf(body []byte) ([]string, error) {
	var users []string
	lines := bufio.NewScanner(bytes.NewReader(body))
	for lines.Scan() {
		var event ffexporter.FeatureEvent
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return nil, err
		}
		users = append(users, event.UserKey)
	}
	return users, lines.Err()
}

func count(objects func(func([]string) bool)) map[string]int {
	all := map[string]int{}
	for users := range objects {
		for _, user := range users {
			all[user]++
		}
	}
	return all
}
