package encode_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"text/template"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/exporter/encode"
)

// other is an event that is not the library's.
type other struct {
	line string
	err  error
	boom any
}

func (other) GetUserKey() string                               { return "" }
func (other) GetKey() string                                   { return "" }
func (other) GetCreationDate() int64                           { return 0 }
func (o other) FormatInCSV(*template.Template) ([]byte, error) { return o.FormatInJSON() }

func (o other) FormatInJSON() ([]byte, error) {
	if o.boom != nil {
		panic(o.boom)
	}
	return []byte(o.line), o.err
}

type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("no form today") }

func lineEncoders(t *testing.T) []encode.Encoder {
	csv, err := encode.NewCSV(encode.CSVOptions{Template: "{{ .Key}};{{ json .Value}}\n"})
	if err != nil {
		t.Fatal(err)
	}
	return []encode.Encoder{encode.JSON{}, csv}
}

func TestWhatCannotBeEncodedIsSetAside(t *testing.T) {
	failure := errors.New("not this one")
	good := ffexporter.FeatureEvent{Key: "good", Value: "v"}
	events := []ffexporter.ExportableEvent{
		good,
		ffexporter.FeatureEvent{Key: "function", Value: func() {}},
		other{line: "other\n"},
		other{err: failure, line: "half a l"},
		other{boom: failure},
		ffexporter.FeatureEvent{Key: "panics", Value: map[string]any{"deep": []any{panicking{}}}},
		nil,
		(*ffexporter.FeatureEvent)(nil),
		(*ffexporter.TrackingEvent)(nil),
		&good,
	}
	for _, e := range lineEncoders(t) {
		t.Run(e.Format(), func(t *testing.T) {
			var out bytes.Buffer
			refused, err := e.Encode(&out, events)
			if err != nil {
				t.Fatal(err)
			}
			if lines := strings.Split(out.String(), "\n"); len(lines) != 4 || lines[1] != "other" || lines[0] != lines[2] || !strings.Contains(lines[0], "good") {
				t.Errorf("wrote %q", out.String())
			}
			var at []int
			for _, r := range refused {
				at = append(at, r.Index)
				if r.Event != nil && fmt.Sprintf("%p %T", r.Event, r.Event) != fmt.Sprintf("%p %T", events[r.Index], events[r.Index]) {
					t.Errorf("event %d came back as %v", r.Index, r.Event)
				}
			}
			if got := fmt.Sprint(at); got != "[1 3 4 5 6 7 8]" {
				t.Fatalf("refused %s", got)
			}
			if !errors.Is(refused[1].Err, failure) {
				t.Errorf("the event's own error became %v", refused[1].Err)
			}
			var panicked *encode.PanicError
			if !errors.As(refused[2].Err, &panicked) || !errors.Is(panicked, failure) {
				t.Errorf("a panic with an error became %v", refused[2].Err)
			}
			if e.Format() == "json" && (!errors.As(refused[3].Err, &panicked) || !strings.Contains(string(panicked.Stack), "MarshalJSON")) {
				t.Errorf("a panic in MarshalJSON became %v", refused[3].Err)
			}
		})
	}
}

// pieces records the sizes of writes, and fails after some.
type pieces struct {
	sizes []int
	fail  int // the write that fails, counted from 1
	short bool
}

func (p *pieces) Write(b []byte) (int, error) {
	p.sizes = append(p.sizes, len(b))
	if len(p.sizes) == p.fail {
		if p.short {
			return len(b) - 1, nil
		}
		return 0, io.ErrClosedPipe
	}
	return len(b), nil
}

func TestWritesAreChunks(t *testing.T) {
	events := make([]ffexporter.ExportableEvent, 3000)
	for i := range events {
		events[i] = ffexporter.FeatureEvent{Key: "flag", Value: strings.Repeat("v", i%200)}
	}
	events[1000] = ffexporter.FeatureEvent{Key: "huge", Value: strings.Repeat("v", 2<<20)}
	for _, e := range lineEncoders(t) {
		var all bytes.Buffer
		var w pieces
		if refused, err := e.Encode(io.MultiWriter(&all, &w), events); err != nil || len(refused) > 0 {
			t.Fatal(refused, err)
		}
		if n := bytes.Count(all.Bytes(), []byte("\n")); n != len(events) {
			t.Errorf("%s: %d lines", e.Format(), n)
		}
		for i, size := range w.sizes {
			if last := i == len(w.sizes)-1; !last && size < 64<<10 || size > 64<<10+4<<10 && size < 2<<20 {
				t.Errorf("%s: write %d of %d had %d bytes", e.Format(), i+1, len(w.sizes), size)
			}
		}
		for _, short := range []bool{false, true} {
			for fail := 1; fail <= len(w.sizes); fail++ {
				w := pieces{fail: fail, short: short}
				want := io.ErrClosedPipe
				if short {
					want = io.ErrShortWrite
				}
				if _, err := e.Encode(&w, events); !errors.Is(err, want) || len(w.sizes) != fail {
					t.Errorf("%s: write %d failed: %v after %d writes", e.Format(), fail, err, len(w.sizes))
				}
			}
		}
	}
}

func TestAnEmptyBatchWritesNothing(t *testing.T) {
	for _, e := range lineEncoders(t) {
		for _, events := range [][]ffexporter.ExportableEvent{nil, {}, {nil}} {
			var w pieces
			if refused, err := e.Encode(&w, events); err != nil || len(w.sizes) > 0 || len(refused) != len(events) {
				t.Errorf("%s of %d events: refused %v, %v, writes of %v bytes", e.Format(), len(events), refused, err, w.sizes)
			}
		}
	}
}

func TestConcurrentSafe(t *testing.T) {
	for _, e := range lineEncoders(t) {
		var running sync.WaitGroup
		for g := range 8 {
			running.Go(func() {
				event := ffexporter.FeatureEvent{Key: fmt.Sprint("flag-", g), Value: map[string]any{"g": g, "list": []any{g}}}
				var want bytes.Buffer
				if _, err := e.Encode(&want, []ffexporter.ExportableEvent{event}); err != nil {
					t.Error(err)
				}
				for range 200 {
					var got bytes.Buffer
					if _, err := e.Encode(&got, []ffexporter.ExportableEvent{event, other{boom: g}, event}); err != nil || got.String() != want.String()+want.String() {
						t.Errorf("%s: %q, %v", e.Format(), got.String(), err)
					}
				}
			})
		}
		running.Wait()
	}
}
