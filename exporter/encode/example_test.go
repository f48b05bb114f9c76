package encode_test

import (
	"fmt"
	"os"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/exporter/encode"
)

var batch = []ffexporter.ExportableEvent{
	ffexporter.FeatureEvent{
		Kind: "feature", ContextKind: "user", UserKey: "ann;bob", CreationDate: 1680246000, Key: "banner", Variation: "on", Value: true,
		Version: "v1", Source: "SERVER", Metadata: map[string]any{"region": "eu", "canary": false},
	},
	ffexporter.FeatureEvent{Kind: "feature", Key: "broken", Value: func() {}},
	ffexporter.TrackingEvent{
		Kind: "tracking", ContextKind: "user", UserKey: "ann", CreationDate: 1680246007, Key: "checkout",
		TrackingDetails: map[string]any{"value": 99.5},
	},
}

// A batch goes to any writer. What cannot be encoded is left out and told.
func ExampleJSON() {
	refused, err := encode.JSON{}.Encode(os.Stdout, batch)
	for _, r := range refused {
		fmt.Printf("event %d: %v\n", r.Index, r.Err)
	}
	fmt.Println(err)
	// Output:
	// {"kind":"feature","contextKind":"user","userKey":"ann;bob","creationDate":1680246000,"key":"banner","variation":"on","value":true,"default":false,"version":"v1","source":"SERVER","metadata":{"canary":false,"region":"eu"}}
	// {"kind":"tracking","contextKind":"user","userKey":"ann","creationDate":1680246007,"key":"checkout","evaluationContext":null,"trackingEventDetails":{"value":99.5}}
	// event 1: json: unsupported type: func()
	// <nil>
}

// The default has the library's columns, and quotes where they are needed. A
// template of your own is used as it is unless it is to be quoted, too.
func ExampleNewCSV() {
	for _, o := range []encode.CSVOptions{
		{},
		{Template: "{{ .UserKey }},{{ .Key }},{{ .Variation }}\n", TrackingTemplate: "{{ .Key }},{{ json .TrackingDetails }}\n", Quote: true},
	} {
		csv, err := encode.NewCSV(o)
		if err != nil {
			fmt.Println(err)
			return
		}
		refused, err := csv.Encode(os.Stdout, batch)
		fmt.Println(len(refused), err)
	}
	// Output:
	// feature;user;"ann;bob";1680246000;banner;on;true;false;SERVER
	// tracking;user;ann;1680246007;checkout;null;"{""value"":99.5}"
	// 1 <nil>
	// ann;bob,banner,on
	// ,broken,
	// checkout,"{""value"":99.5}"
	// 0 <nil>
}
