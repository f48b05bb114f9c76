package spool

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/exporter"
)

// sample is a whole file.
func sample(t testing.TB) []byte {
	t.Helper()
	b := exporter.Batch{Instance: "instance", First: 7, Last: 8, Attempt: 2, Began: time.Unix(1e9, 0).UTC()}
	file, err := appendBatch(newFile(0), b, []ffexporter.ExportableEvent{
		ffexporter.FeatureEvent{Kind: "feature", Key: "flag", Value: map[string]any{"a": []any{1, 1.5, nil, true}}},
		ffexporter.TrackingEvent{Kind: "tracking", Key: "event", TrackingDetails: map[string]any{"revenue": 9.99}},
	})
	if err != nil {
		t.Fatal(err)
	}
	seal(file)
	return file
}

func readSealed(file []byte) error {
	payload, err := readFile(bytes.NewReader(file), int64(len(file)))
	if err == nil {
		_, _, err = decodeBatch(payload)
	}
	return err
}

// Every changed bit, every cut and every byte too many is found.
func TestDamageIsFound(t *testing.T) {
	whole := sample(t)
	if err := readSealed(whole); err != nil {
		t.Fatal(err)
	}
	refused := func(what string, at int, file []byte) {
		t.Helper()
		var damaged damage
		if err := readSealed(file); !errors.As(err, &damaged) {
			t.Errorf("%s at %d of %d: %v", what, at, len(whole), err)
		}
	}
	for at := range whole {
		for bit := range 8 {
			changed := bytes.Clone(whole)
			changed[at] ^= 1 << bit
			refused("a changed bit", at, changed)
		}
		refused("a cut", at, whole[:at])
		refused("a hole", at, append(bytes.Clone(whole[:at]), make([]byte, len(whole)-at)...))
	}
	refused("a byte too many", len(whole), append(bytes.Clone(whole), 0))
}

// What a header claims is not believed: a foreign file costs no memory.
func TestHeaderClaims(t *testing.T) {
	for name, change := range map[string]func([]byte){
		"no batch file":            func(file []byte) { copy(file, "PARQUET1") },
		"version 2":                func(file []byte) { file[11] = 2 },
		"and should be 1099511627": func(file []byte) { binary.BigEndian.PutUint64(file[16:], 1<<40) },
	} {
		file := sample(t)
		change(file)
		if err := readSealed(file); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
}

// A newer library's field that this one lacks is not dropped in silence.
func TestUnknownField(t *testing.T) {
	for name, test := range map[string]struct {
		value any
		want  string
	}{
		"zero": {"", ""}, "nil": {nil, ""}, "set": {"x", "lacks"},
	} {
		d := &decoder{rest: append([]byte{0}, appendValue(nil, test.value, 0)...)}
		d.event([pointerTo][][]int{{nil}, nil})
		if (d.err == nil) != (test.want == "") || d.err != nil && !strings.Contains(d.err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, d.err, test.want)
		}
	}
	d := &decoder{rest: append([]byte{0}, appendValue(nil, 5, 0)...)}
	d.event([pointerTo][][]int{{kinds[0].fields[0].Index}, nil})
	if d.err == nil || !strings.Contains(d.err.Error(), "of type string holds a int") {
		t.Errorf("a number for a text: %v", d.err)
	}
}

func TestFileName(t *testing.T) {
	name := fileName(1_700_000_000_000_000_000, 12)
	if stamp, events, ok := parseName(name); stamp != 1_700_000_000_000_000_000 || events != 12 || !ok {
		t.Errorf("%s: %d, %d, %v", name, stamp, events, ok)
	}
	for _, foreign := range []string{"", ".batch", "x.batch", "1-2.batch", name + ".batch", name[1:], "-" + name[1:], strings.Replace(name, "-12", "-+12", 1), "probe"} {
		if _, _, ok := parseName(foreign); ok {
			t.Errorf("%q was taken for a batch", foreign)
		}
	}
}

// Whatever a payload holds, under a right checksum, reading it ends in an error or in a batch that can be written again.
func FuzzPayload(f *testing.F) {
	f.Add(sample(f)[headerSize:])
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{tagList, 200}, 40))
	f.Fuzz(func(t *testing.T, payload []byte) {
		b, events, err := decodeBatch(payload)
		if err != nil {
			return
		}
		for _, event := range events {
			_, _ = event.FormatInJSON()
		}
		if _, err := appendBatch(nil, b, events); err != nil {
			t.Errorf("what was read cannot be written: %v", err)
		}
	})
}

// A file in which a run of bytes was changed is refused, wherever that is.
func FuzzChangedFile(f *testing.F) {
	whole := sample(f)
	f.Add(3, []byte{1})
	f.Add(headerSize+5, []byte{0, 255, 1})
	f.Add(len(whole), []byte("more"))
	f.Fuzz(func(t *testing.T, at int, change []byte) {
		if at < 0 || at > len(whole) {
			return
		}
		file := append(bytes.Clone(whole[:at]), change...)
		if end := at + len(change); end < len(whole) {
			file = append(file, whole[end:]...)
		}
		if err := readSealed(file); (err == nil) != bytes.Equal(file, whole) {
			t.Errorf("%d bytes changed at %d: %v", len(change), at, err)
		}
	})
}
