//go:build ignore

package fileexporter_test

import (
	"bytes"
	"context"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/exporter/fileexporter"
)

// renamed is an event with a format of its own, which the one of the event inside it must not replace.
type renamed struct{ exporter.FeatureEvent }

func (renamed) FormatInJSON() ([]byte, error) { return []byte("renamed\n"), nil }

// countingWriter counts what it is given.
type countingWriter struct {
	calls, bytes int
	checksum     uint32
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.calls++
	w.bytes += len(p)
	w.checksum = crc32.Update(w.checksum, crc32.IEEETable, p)
	return len(p), nil
}

// What ExportTo hands over is what Export writes, however it is read.
func TestFile_ExportTo(t *testing.T) {
	events := []exporter.ExportableEvent{
		exporter.FeatureEvent{UserKey: "a", Key: "flag", Value: 1}, &exporter.FeatureEvent{UserKey: "b", Value: "<"},
		exporter.TrackingEvent{UserKey: "c", Key: "purchase"}, &exporter.TrackingEvent{UserKey: "d"},
		renamed{exporter.FeatureEvent{UserKey: "e", Value: 2}},
	}
	for _, format := range []string{"json", "csv", "parquet"} {
		t.Run(format, func(t *testing.T) {
			dir := t.TempDir()
			f := &fileexporter.Exporter{Format: format, OutputDir: dir, Filename: "{{ .Format}}"}
			require.NoError(t, f.Export(context.Background(), logTo(new(bytes.Buffer)), events))
			paths, err := filepath.Glob(filepath.Join(dir, "*"))
			require.NoError(t, err)
			require.Len(t, paths, 1)
			want, err := os.ReadFile(paths[0])
			require.NoError(t, err)
			if format == "json" {
				assert.Contains(t, string(want), "renamed\n")
			}
			for _, read := range []func(io.Reader) ([]byte, error){
				io.ReadAll,
				func(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, math.MaxInt64)) },
				func(r io.Reader) ([]byte, error) {
					var b bytes.Buffer
					_, err := io.Copy(&b, r)
					return b.Bytes(), err
				},
			} {
				send := func(name string, content io.Reader) error {
					assert.Contains(t, name, format)
					got, err := read(content)
					assert.Equal(t, string(want), string(got))
					return err
				}
				require.NoError(t, f.ExportTo(context.Background(), logTo(new(bytes.Buffer)), events, send))
			}
		})
	}
}

// Whatever the size of a batch, it is encoded once, into as much memory as a chunk takes, and handed over in chunks.
func TestFile_MemoryIsBounded(t *testing.T) {
	const n, line = 50_000, 400
	event := exporter.FeatureEvent{UserKey: strings.Repeat("u", line), Value: true}
	events := make([]exporter.ExportableEvent, n)
	for i := range events {
		events[i] = event
	}
	f := &fileexporter.Exporter{}
	var w countingWriter
	export := func() error {
		w = countingWriter{}
		return f.ExportTo(context.Background(), nil, events, func(_ string, content io.Reader) error {
			_, err := io.Copy(&w, content)
			return err
		})
	}
	require.NoError(t, export())
	first := w

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, export())
	runtime.ReadMemStats(&after)

	assert.Equal(t, first, w, "the same again, from a buffer that was used before")
	assert.Greater(t, w.bytes, n*line)
	assert.LessOrEqual(t, w.calls, w.bytes/(1<<20)+1)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20))
}

// What was not read was not sent, whatever send says. Events behind the last byte are set aside all the same.
func TestFile_UnreadContent(t *testing.T) {
	events := []exporter.ExportableEvent{flagEvent("user-a", 1), flagEvent("user-b", math.NaN())}
	line, err := events[0].FormatInJSON()
	require.NoError(t, err)
	f := &fileexporter.Exporter{}
	for _, n := range []int{0, 1, len(line)} {
		var log bytes.Buffer
		err := f.ExportTo(context.Background(), logTo(&log), events, func(_ string, content io.Reader) error {
			_, err := io.ReadFull(content, make([]byte, n))
			return err
		})
		if n < len(line) {
			assert.ErrorContains(t, err, "was not read to its end")
			assert.Empty(t, log.String())
		} else {
			assert.NoError(t, err)
			assert.Contains(t, log.String(), "unsupported value: NaN")
		}
	}
}

// An export that fails half-way leaves nothing behind for the next one, which has all the events.
func TestFile_FailedSend(t *testing.T) {
	events := []exporter.ExportableEvent{flagEvent("user-a", 1), flagEvent("user-b", math.NaN()), flagEvent("user-c", 3)}
	var log bytes.Buffer
	f := &fileexporter.Exporter{}
	failure := errors.New("the sink is down")
	err := f.ExportTo(context.Background(), logTo(&log), events, func(_ string, content io.Reader) error {
		_, err := content.Read(make([]byte, 10))
		require.NoError(t, err)
		return failure
	})
	require.ErrorIs(t, err, failure)
	assert.Empty(t, log.String(), "nothing is final yet")

	require.NoError(t, f.ExportTo(context.Background(), logTo(&log), events, func(_ string, content io.Reader) error {
		text, err := io.ReadAll(content)
		require.NoError(t, err)
		assert.Equal(t, 2, bytes.Count(text, []byte("\n")))
		return nil
	}))
	assert.Contains(t, log.String(), "unsupported value: NaN")
}
