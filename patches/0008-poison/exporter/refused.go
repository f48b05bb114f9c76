//go:build ignore

package exporter

import (
	"context"
	"log/slog"
	"sync"

	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// Refused is an event that will never be exported, however often it is tried: it cannot be encoded, or its sink does
// not take one like it.
type Refused struct {
	Index int // its place among the events that the Export was given
	Event ExportableEvent
	Err   error // why
}

// SetAside is called by an Exporter that goes on without some of the events that it was given, because their batch
// would fail for ever with them. It logs one line with the number of the events and with the first one's reason, and
// a Manager counts them (ConsumerStats.SetAside): once for each event, also if the batch is tried again.
//
// The context is that of the Export. SetAside may be called more than once in an Export, and concurrently.
func SetAside(ctx context.Context, logger *fflog.FFLogger, refused ...Refused) {
	consumer := ""
	if attempt, ok := AttemptFrom(ctx); ok {
		consumer = attempt.ConsumerID
		if known, ok := ctx.Value(setAsideKey{}).(*setAside); ok {
			refused = known.add(attempt, refused)
		}
	}
	if len(refused) == 0 {
		return
	}
	first := refused[0]
	attrs := []any{slog.Int("events", len(refused)), slog.Any("error", first.Err)}
	if first.Event != nil {
		attrs = append(attrs, slog.String("key", first.Event.GetKey()),
			slog.Int64("creationDate", first.Event.GetCreationDate()))
	}
	if consumer != "" {
		attrs = append(attrs, slog.String("consumer", consumer))
	}
	logger.Error("events that can never be exported are set aside", attrs...)
}

type setAsideKey struct{}

// setAside knows which events of a batch were set aside, so that another attempt does not report them again.
type setAside struct {
	mutex       sync.Mutex // guards all fields
	first, last int64      // the batch
	known       map[int]struct{}
	total       int64 // of all batches
}

// add returns the events that are new.
func (s *setAside) add(attempt Attempt, refused []Refused) []Refused {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.known == nil || s.first != attempt.First || s.last != attempt.Last {
		s.first, s.last, s.known = attempt.First, attempt.Last, map[int]struct{}{}
	}
	var added []Refused
	for _, event := range refused {
		if _, known := s.known[event.Index]; !known {
			s.known[event.Index] = struct{}{}
			added = append(added, event)
		}
	}
	s.total += int64(len(added))
	return added
}

func (s *setAside) count() int64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.total
}

// in puts it into the context of an Export, where SetAside finds it.
func (s *setAside) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, setAsideKey{}, s)
}
