package encode

import (
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
)

const (
	// Rows are handed to the columns in blocks: large enough that a block's fixed
	// cost does not show, small enough that its values stay in the cache.
	blockRows = 128
	blockText = 64 << 10

	// A page is what a reader can skip, and each column has one being filled. It
	// ends at so many bytes of values or of indexes into the dictionary, or when
	// the text that it stands for is this long.
	pageBytes = 64 << 10
	pageText  = 128 << 10

	// A column with this many bytes of different values goes on without its
	// dictionary until the row group ends. It is looked at when a page ends,
	// which is what pageText is for: a dictionary is in memory twice.
	dictionaryBytes = 256 << 10

	// A buffer that an unusually large event stretched past this is not kept.
	keptValues = 64 * blockRows

	// The leaf columns of a feature event, which has the most.
	maxColumns = colMetadata + 2
)

// parquetTable gathers events column by column, which is how the file wants
// them: no row is ever built, and no value is looked at by reflection.
type parquetTable struct {
	schema  *parquet.Schema
	codec   compress.Codec
	writer  *parquet.GenericWriter[any]
	columns []*parquet.ColumnWriter
	block   [][]parquet.Value // by column, the rows not yet handed to it
	text    []byte            // what the byte arrays of block point into
	rows    int               // rows in block
	inPage  []int             // by column, bytes of text since its last page
	entries []mapEntry        // of the map being added, empty between two
	limit   int64             // bytes in a row group
	done    int64             // bytes of the file up to the last row group
}

func newParquetTable(schema *parquet.Schema, codec compress.Codec) *parquetTable {
	n := len(schema.Columns())
	return &parquetTable{schema: schema, codec: codec, block: make([][]parquet.Value, n), inPage: make([]int, n)}
}

// begin starts a file. Each has a writer of its own: after Reset, the writer of
// parquet-go v0.32.0 forgets the names of its columns (its issue 602), and then
// Athena and Spark cannot open the file.
func (t *parquetTable) begin(w io.Writer, rowGroupBytes int) {
	t.writer = parquet.NewGenericWriter[any](w, t.schema,
		parquet.Compression(t.codec),
		// The first version is what every reader knows; pages of the second
		// save nothing in columns without nulls.
		parquet.DataPageVersion(1),
		// Bounds are in the page index; in the page headers they would be a
		// second copy.
		parquet.DataPageStatistics(false),
		parquet.PageBufferSize(pageBytes),
		parquet.DictionaryMaxBytes(dictionaryBytes),
	)
	t.columns = t.writer.ColumnWriters()
	t.limit, t.done = int64(rowGroupBytes), 0
	clear(t.inPage)
}

// end completes the file and lets go of it.
func (t *parquetTable) end() error {
	if err := t.handOver(); err != nil {
		return err
	}
	if err := t.writer.Close(); err != nil {
		return fmt.Errorf("encode: end of parquet file: %w", err)
	}
	t.writer, t.columns = nil, nil
	return nil
}

// spill is called between two rows. It hands a full block to the columns and
// writes a full row group out.
func (t *parquetTable) spill() error {
	if t.rows < blockRows && len(t.text) < blockText {
		return nil
	}
	if err := t.handOver(); err != nil {
		return err
	}
	if t.writer.Size()-t.done < t.limit {
		return nil
	}
	if err := t.writer.Flush(); err != nil {
		return fmt.Errorf("encode: parquet row group: %w", err)
	}
	t.done = t.writer.Size()
	clear(t.inPage)
	return nil
}

func (t *parquetTable) handOver() error {
	if t.rows == 0 {
		return nil
	}
	for i, c := range t.columns {
		if _, err := c.WriteRowValues(t.block[i]); err != nil {
			return fmt.Errorf("encode: parquet column %d: %w", i, err)
		}
		if t.inPage[i] >= pageText {
			if err := c.Flush(); err != nil {
				return fmt.Errorf("encode: parquet column %d: %w", i, err)
			}
			t.inPage[i] = 0
		}
		clear(t.block[i])
		if t.block[i] = t.block[i][:0]; cap(t.block[i]) > keptValues {
			t.block[i] = nil
		}
	}
	t.rows = 0
	if t.text = t.text[:0]; cap(t.text) > keptBytes {
		t.text = nil
	}
	return nil
}

// rowMark is where a row begins, for the case that it cannot be completed.
type rowMark struct {
	text    int
	columns [maxColumns]int
}

func (t *parquetTable) mark() (m rowMark) {
	m.text = len(t.text)
	for i := range t.block {
		m.columns[i] = len(t.block[i])
	}
	return m
}

// undo takes back what was put since m, and says of which column err is. It
// leaves inPage as it is: at worst a page ends early.
func (t *parquetTable) undo(m rowMark, column string, err error) error {
	t.text = t.text[:m.text]
	for i := range t.block {
		t.block[i] = t.block[i][:m.columns[i]]
	}
	return fmt.Errorf("encode: column %s: %w", column, err)
}

func (t *parquetTable) put(column int, v parquet.Value) {
	t.block[column] = append(t.block[column], v)
}

// putText adds bytes that are in text.
func (t *parquetTable) putText(column int, b []byte) {
	t.put(column, parquet.ByteArrayValue(b))
	t.inPage[column] += len(b)
}

// putEntry adds bytes that are in text as a part of a map's entry.
func (t *parquetTable) putEntry(column int, b []byte, repetition int) {
	t.put(column, parquet.ByteArrayValue(b).Level(repetition, 1, column))
	t.inPage[column] += len(b)
}

func (t *parquetTable) putString(column int, s string) {
	start := len(t.text)
	t.text = appendUTF8(t.text, s)
	t.putText(column, t.text[start:len(t.text):len(t.text)])
}

// appendUTF8 appends s with U+FFFD for each byte that is not UTF-8.
func appendUTF8(dst []byte, s string) []byte {
	if utf8.ValidString(s) {
		return append(dst, s...)
	}
	for _, r := range s {
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}
