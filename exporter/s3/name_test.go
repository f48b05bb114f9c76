package s3

import (
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/offlock/offlock/exporter"
)

func TestNames(t *testing.T) {
	host, _ := os.Hostname()
	began := time.Date(2026, 3, 4, 5, 6, 7, 0, time.FixedZone("", -3600)) // in UTC an hour later
	b := exporter.Batch{Instance: "pod", First: 10, Last: 19, Began: began}
	for _, test := range []struct {
		name, path, filename string
		compression          Compression
		want                 string
	}{
		{"default", "", "", None, "flag-variation-" + host + "-1772604367-pod-10-19.json"},
		{"default, packed, in a folder", "/a/b/", "", Gzip, "a/b/flag-variation-" + host + "-1772604367-pod-10-19.json.gz"},
		{"Hive", "t", HiveFilename, Zstd, "t/dt=2026-03-04/hour=06/flag-variation-" + host + "-1772604367-pod-10-19.json.zst"},
		{"the library's own default", "", "flag-variation-{{ .Hostname}}-{{ .Timestamp}}.{{ .Format}}", None,
			"flag-variation-" + host + "-1772604367-pod-10-19.json"},
		{"first and instance are enough", "", "{{ .Instance}}/{{ .First}}.{{ .Format}}", None, "pod/10.json"},
		{"last and instance, too", "", "{{ .Last}}@{{ .Instance}}", None, "19@pod"},
		{"no instance", "", "{{ .First}}.json", None, "10-pod-10-19.json"},
		{"no offset", "", "{{ .Instance}}.json", None, "pod-pod-10-19.json"},
		{"nothing", "", "events", None, "events-pod-10-19"},
		{"dots and folders", "", "v1.2/events.tar.x", Gzip, "v1.2/events-pod-10-19.tar.x.gz"},
		{"hidden", "", "/.events", None, ".events-pod-10-19"},
		{"a folder alone", "", "events/", None, "events/-pod-10-19"},
		{"packed by its name already", "", "{{ .Instance}}-{{ .First}}.json.gz", Gzip, "pod-10.json.gz"},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := mustName(t, Options{Bucket: "b", S3Path: test.path, Filename: test.filename, Compression: test.compression})
			if got, err := n.key(b, ""); err != nil || got != test.want {
				t.Errorf("%q, %v, want %q", got, err, test.want)
			}
		})
	}
}

func mustName(t interface {
	Helper()
	Fatal(...any)
}, o Options) *namer {
	t.Helper()
	o, err := o.resolve()
	if err != nil {
		t.Fatal(err)
	}
	n, err := newNamer(o)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Whatever the template: batches and processes have different names, a retry has the same, a mark changes it, and no name begins
// with a slash.
func TestNamesDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
			"{{ .Hostname}}", "{{ .Timestamp}}", "{{ .Format}}", "{{ .Year}}", "{{ .Hour}}", "{{ .Instance}}", "{{ .First}}", "{{ .Last}}",
			"-", "/", ".", "x",
		}), 1, 8).Draw(t, "template")
		o := Options{Bucket: "b", Filename: strings.Join(pieces, ""), Compression: rapid.SampledFrom([]Compression{None, Gzip}).Draw(t, "packed")}
		n := mustName(t, o)
		seen := map[string]exporter.Batch{}
		draw := func() exporter.Batch {
			first := rapid.Int64Range(0, 20).Draw(t, "first") * 10
			return exporter.Batch{
				Instance: rapid.SampledFrom([]string{"one", "two"}).Draw(t, "instance"), First: first, Last: first + 9,
				Attempt: rapid.IntRange(1, 3).Draw(t, "attempt"), Began: time.Unix(first/100, 0),
			}
		}
		for range 20 {
			b := draw()
			key, err := n.key(b, "")
			if err != nil || strings.HasPrefix(key, "/") {
				t.Fatal(key, err)
			}
			if marked, _ := n.key(b, "mark"); marked == key {
				t.Fatalf("%s is the name with a mark, too", key)
			}
			if former, ok := seen[key]; ok && idOf(former) != idOf(b) {
				t.Fatalf("%s is the name of %+v and of %+v", key, former, b)
			}
			seen[key] = b
			for k, other := range seen {
				if idOf(other) == idOf(b) && k != key {
					t.Fatalf("%+v has the names %s and %s", b, k, key)
				}
			}
		}
	})
}
