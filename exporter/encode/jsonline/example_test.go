package jsonline_test

import (
	"fmt"

	"github.com/offlock/offlock/exporter/encode/jsonline"
)

func Example() {
	line := []byte(`{"user":`)
	line = jsonline.AppendString(line, "Zoë <zoe@example.com>")
	line = append(line, `,"details":`...)
	line, err := jsonline.AppendMap(line, map[string]any{"value": 99.5, "currency": "USD", "items": []any{1, 2}})
	fmt.Printf("%s} %v\n", line, err)
	// Output: {"user":"Zoë \u003czoe@example.com\u003e","details":{"currency":"USD","items":[1,2],"value":99.5}} <nil>
}
