package encode_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/offlock/offlock/exporter/encode"
	"github.com/parquet-go/parquet-go"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
)

func ExampleParquet() {
	encoder, err := encode.NewParquet(encode.ParquetOptions{CompressionCodec: "ZSTD"})
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer // or the upload itself: nothing is ever rewound
	refused, err := encoder.Encode(&file, []ffexporter.ExportableEvent{
		ffexporter.FeatureEvent{Kind: "feature", UserKey: "ada", Key: "new-checkout", Value: true},
		ffexporter.FeatureEvent{Kind: "feature", UserKey: "bob", Key: "new-checkout", Value: make(chan int)},
		ffexporter.FeatureEvent{Kind: "feature", UserKey: "cleo", Key: "limit", Value: 20, Metadata: map[string]any{"region": "eu"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range refused {
		fmt.Printf("event %d set aside: %v\n", r.Index, r.Err)
	}

	type row struct {
		UserKey  string            `parquet:"userKey"`
		Value    string            `parquet:"value"`
		Metadata map[string]string `parquet:"metadata"`
	}
	rows, err := parquet.Read[row](bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range rows {
		fmt.Println(r.UserKey, r.Value, r.Metadata)
	}
	// Output:
	// event 1 set aside: encode: column value: json: unsupported type: chan int
	// ada true map[]
	// cleo 20 map[region:eu]
}
