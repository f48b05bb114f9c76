package encode

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"sync"
	"testing"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
)

// writeCounter keeps what is written, and counts the writes.
type writeCounter struct {
	bytes.Buffer
	writes int
}

func (w *writeCounter) Write(p []byte) (int, error) {
	w.writes++
	return w.Buffer.Write(p)
}

var errFull = errors.New("disk full")

// failing fails at its n-th write.
type failing struct{ n int }

func (w *failing) Write(p []byte) (int, error) {
	if w.n--; w.n <= 0 {
		return len(p) / 2, errFull
	}
	return len(p), nil
}

// A file is whole or there is an error, at whichever write the sink gives up,
// and the encoder is as good as before.
func TestParquetWriteError(t *testing.T) {
	p := newParquet(t, ParquetOptions{RowGroupBytes: minRowGroupBytes})
	batch := purchases(8000)
	var whole writeCounter
	if _, err := p.Encode(&whole, batch); err != nil {
		t.Fatal(err)
	}
	if whole.writes < 4 {
		t.Fatalf("only %d writes: make the batch larger", whole.writes)
	}
	for n := 1; n <= whole.writes; n++ {
		if _, err := p.Encode(&failing{n: n}, batch); !errors.Is(err, errFull) {
			t.Errorf("write %d of %d failed, error is %v", n, whole.writes, err)
		}
	}
	if again := encodeParquet(t, p, batch); !bytes.Equal(again, whole.Bytes()) {
		t.Error("the file after the failures is another one")
	}
}

func TestParquetConcurrentSafe(t *testing.T) {
	p := newParquet(t, ParquetOptions{RowGroupBytes: minRowGroupBytes})
	batches := [][]ffexporter.ExportableEvent{purchases(2000), indexed()[:2000], purchases(10)}
	var want [][]byte
	for _, b := range batches {
		want = append(want, encodeParquet(t, newParquet(t, ParquetOptions{RowGroupBytes: minRowGroupBytes}), b))
	}
	var callers sync.WaitGroup
	for i := range 6 {
		callers.Go(func() {
			for j := range 4 {
				b := (i + j) % len(batches)
				var file bytes.Buffer
				if _, err := p.Encode(&file, batches[b]); err != nil || !bytes.Equal(file.Bytes(), want[b]) {
					t.Errorf("batch %d: %d bytes, want %d, error %v", b, file.Len(), len(want[b]), err)
				}
			}
		})
	}
	callers.Wait()
}

// liveHeap records the largest heap, garbage apart, at the moments when a row
// group has begun to leave, which is when the most of it is in memory.
type liveHeap struct {
	written, step, next int
	largest             uint64
}

func (w *liveHeap) Write(p []byte) (int, error) {
	w.written += len(p)
	if w.written >= w.next {
		w.next = w.written + w.step
		w.largest = max(w.largest, heap())
	}
	return len(p), nil
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Memory follows the row group, not the batch.
func TestParquetMemoryIsBounded(t *testing.T) {
	// Every event brings 600 bytes that do not repeat or compress.
	const events = 25_000
	batch := make([]ffexporter.ExportableEvent, events)
	state := uint64(1)
	for i := range batch {
		noise := make([]byte, 600)
		for j := range noise {
			state ^= state << 13
			state ^= state >> 7
			state ^= state << 17
			noise[j] = ' ' + byte(state%95)
		}
		batch[i] = ffexporter.FeatureEvent{Kind: "feature", UserKey: "u", Value: string(noise)}
	}
	p := newParquet(t, ParquetOptions{CompressionCodec: "UNCOMPRESSED", RowGroupBytes: 2 << 20})
	before := heap()
	w := &liveHeap{step: 256 << 10}
	if refused, err := p.Encode(w, batch); err != nil || len(refused) > 0 {
		t.Fatal(len(refused), err)
	}
	const bound = 8 << 20
	extra := int64(w.largest) - int64(before)
	t.Logf("%d bytes written, at most %d held", w.written, extra)
	if w.written < 2*bound {
		t.Fatalf("a file of %d bytes shows nothing", w.written)
	}
	if extra > bound {
		t.Errorf("%d bytes held, more than %d", extra, bound)
	}
	runtime.KeepAlive(batch)
}

var _ io.Writer = (*liveHeap)(nil)
