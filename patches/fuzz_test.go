package patches

import (
	"bytes"
	"go/format"
	"testing"
	"testing/fstest"
)

// Whatever stands in a patch file, loading and applying it ends in a result or an error. A result is Go, and formatted if
// the file was.
func FuzzApply(f *testing.F) {
	for _, c := range fixtures(f, "testdata/*.txtar") {
		for name, file := range c.series {
			if up := c.up["till/till.go"]; up != nil && bytes.HasSuffix([]byte(name), []byte("/till/till.go")) {
				f.Add(string(file.Data), string(up.Data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, patch, up string) {
		series, err := Load(fstest.MapFS{
			"0001-x/PATCH.md":     {Data: []byte(frontMatter)},
			"0001-x/till/till.go": {Data: []byte(patch)},
		})
		if err != nil {
			return
		}
		tree := fstest.MapFS{"till/till.go": {Data: []byte(up)}}
		result, err := series.Apply("v1.0.0", tree, Options{Unrecorded: true})
		if err != nil {
			return
		}
		was, wasErr := format.Source([]byte(up))
		for name, text := range result.Files {
			if text == nil {
				continue
			}
			clean, err := format.Source(text)
			if err != nil {
				t.Fatalf("%s is not Go: %v\n%s", name, err, text)
			}
			if wasErr == nil && string(was) == up && !bytes.Equal(clean, text) {
				t.Fatalf("%s is not formatted:\n%s", name, text)
			}
		}
		if _, err := series.Record("v1.0.0", tree); err != nil {
			return
		}
	})
}

// The keys of PATCH.md never make Load panic.
func FuzzFrontMatter(f *testing.F) {
	f.Add(frontMatter)
	f.Add("---\nTitle: a\nKind: fix\nFor: < v1.2.0, >= v1.0.0\nNeeds: 0001 below v1.2.0\nLeans: a:b\nCopies: a -> b\n---\ntext")
	f.Fuzz(func(t *testing.T, md string) {
		_, _ = Load(fstest.MapFS{"0001-x/PATCH.md": {Data: []byte(md)}, "0001-x/a": {}})
	})
}
