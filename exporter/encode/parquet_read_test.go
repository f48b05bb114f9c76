package encode

import (
	"bytes"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// What a reader of the files declares.
type (
	featureLine struct {
		Kind         string            `parquet:"kind"`
		ContextKind  string            `parquet:"contextKind"`
		UserKey      string            `parquet:"userKey"`
		CreationDate int64             `parquet:"creationDate"`
		Key          string            `parquet:"key"`
		Variation    string            `parquet:"variation"`
		Value        string            `parquet:"value"`
		Default      bool              `parquet:"default"`
		Version      string            `parquet:"version"`
		Source       string            `parquet:"source"`
		Metadata     map[string]string `parquet:"metadata"`
	}

	trackingLine struct {
		Kind         string            `parquet:"kind"`
		ContextKind  string            `parquet:"contextKind"`
		UserKey      string            `parquet:"userKey"`
		CreationDate int64             `parquet:"creationDate"`
		Key          string            `parquet:"key"`
		Context      map[string]string `parquet:"evaluationContext"`
		Details      map[string]string `parquet:"trackingEventDetails"`
	}
)

func readParquet[T any](t testing.TB, file []byte) []T {
	t.Helper()
	rows, err := parquet.Read[T](bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func openParquet(t testing.TB, file []byte) *parquet.File {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
