package encode

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/format"
)

// The columns in file order. Names, order, types and repetition are those of the
// library's files, so a table over older files goes on working; the root is named
// as there. Only the encoding differs: text has a dictionary, because flags,
// variations and users recur (see dictionaryBytes for when they do not).
var (
	featureSchema = parquetSchema(
		parquetColumn{"kind", parquetText},
		parquetColumn{"contextKind", parquetText},
		parquetColumn{"userKey", parquetText},
		parquetColumn{"creationDate", parquetUnix},
		parquetColumn{"key", parquetText},
		parquetColumn{"variation", parquetText},
		parquetColumn{"value", parquetText},
		parquetColumn{"default", parquet.Leaf(parquet.BooleanType)},
		parquetColumn{"version", parquetText},
		parquetColumn{"source", parquetText},
		parquetColumn{"metadata", parquet.Map(parquetText, parquetText)},
	)
	trackingSchema = parquetSchema(
		parquetColumn{"kind", parquetText},
		parquetColumn{"contextKind", parquetText},
		parquetColumn{"userKey", parquetText},
		parquetColumn{"creationDate", parquetUnix},
		parquetColumn{"key", parquetText},
		parquetColumn{"evaluationContext", parquet.Map(parquetText, parquetText)},
		parquetColumn{"trackingEventDetails", parquet.Map(parquetText, parquetText)},
	)

	parquetText = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	parquetUnix = parquet.Leaf(bareInt64{parquet.Int64Type})
)

// bareInt64 is an INT64 without the annotation INT(64, signed), which means the
// same and is not in the library's files.
type bareInt64 struct{ parquet.Type }

func (bareInt64) LogicalType() *format.LogicalType { return nil }

// parquetColumn is a node with a name.
type parquetColumn struct {
	name string
	parquet.Node
}

func (c parquetColumn) Name() string { return c.name }

// Value is for rows that are Go values, of which there are none here.
func (c parquetColumn) Value(row reflect.Value) reflect.Value {
	return row.MapIndex(reflect.ValueOf(c.name))
}

// parquetRecord is a group whose fields keep their order; a parquet.Group sorts them.
type parquetRecord struct {
	parquet.Group
	fields []parquet.Field
}

func (r parquetRecord) Fields() []parquet.Field { return r.fields }

func parquetSchema(columns ...parquetColumn) *parquet.Schema {
	r := parquetRecord{Group: parquet.Group{}}
	for _, c := range columns {
		r.Group[c.name] = c.Node
		r.fields = append(r.fields, c)
	}
	return parquet.NewSchema("parquet_go_root", r)
}

func parquetCodec(name string) (compress.Codec, error) {
	switch strings.ToUpper(name) {
	case "", "SNAPPY":
		return &parquet.Snappy, nil
	case "UNCOMPRESSED":
		return &parquet.Uncompressed, nil
	case "GZIP":
		return &parquet.Gzip, nil
	case "BROTLI":
		return &parquet.Brotli, nil
	case "ZSTD":
		return &parquet.Zstd, nil
	case "LZ4", "LZ4_RAW":
		return &parquet.Lz4Raw, nil
	}
	return nil, fmt.Errorf("%w: CompressionCodec %q: give UNCOMPRESSED, SNAPPY, GZIP, BROTLI, ZSTD or LZ4_RAW", ErrParquetOption, name)
}
