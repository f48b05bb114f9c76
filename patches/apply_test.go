package patches

import (
	"bytes"
	"go/format"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestApply(t *testing.T) {
	for _, f := range fixtures(t, "testdata/*.txtar") {
		t.Run(f.String(), func(t *testing.T) {
			series, err := f.load()
			var result *Result
			if err == nil {
				result, err = series.Apply(f.version, f.up, Options{Unrecorded: true})
			}
			if f.err != "" {
				if err == nil {
					t.Fatalf("no error; want one with %q", f.err)
				}
				for line := range strings.Lines(f.err) {
					if line = strings.TrimSpace(line); !strings.Contains(err.Error(), line) {
						t.Errorf("error %q\nlacks %q", err, line)
					}
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				f.rewrite(t, "want/", files(result))
				return
			}
			if d := cmp.Diff(f.want, files(result)); d != "" {
				t.Errorf("files (-want +got):\n%s", d)
			}
			checkFormat(t, f, result)
		})
	}
}

// checkFormat checks that a formatted file stays so.
func checkFormat(t *testing.T, f *fixture, r *Result) {
	t.Helper()
	formatted := func(text []byte) bool {
		clean, err := format.Source(text)
		return err == nil && bytes.Equal(clean, text)
	}
	for name, text := range r.Files {
		if old := f.up[name]; strings.HasSuffix(name, ".go") && text != nil && (old == nil || formatted(old.Data)) && !formatted(text) {
			t.Errorf("%s is not formatted any more", name)
		}
	}
}

// What was recorded must admit what it was recorded from, under its own version and under one that has no base.
func TestApplyRecorded(t *testing.T) {
	for _, f := range fixtures(t, "testdata/*.txtar") {
		if f.err != "" {
			continue
		}
		t.Run(f.String(), func(t *testing.T) {
			series, err := f.recorded()
			if err != nil {
				t.Fatal(err)
			}
			for _, version := range []string{f.version, nextVersion} {
				result, err := series.Apply(version, f.up, Options{})
				if err != nil {
					t.Fatalf("%s: %v", version, err)
				}
				if d := cmp.Diff(f.want, files(result)); d != "" {
					t.Errorf("%s: files (-want +got):\n%s", version, d)
				}
				if want := version == f.version; result.Tested != want {
					t.Errorf("%s: tested %t, want %t", version, result.Tested, want)
				}
			}
		})
	}
}

// A checkout with CRLF line ends gives the same files.
func TestApplyCRLF(t *testing.T) {
	for _, f := range fixtures(t, "testdata/*.txtar") {
		if f.err != "" {
			continue
		}
		for name, file := range f.series {
			f.series[name] = &fstest.MapFile{Data: bytes.ReplaceAll(file.Data, []byte("\n"), []byte("\r\n"))}
		}
		t.Run(f.String(), func(t *testing.T) {
			series, err := f.load()
			if err != nil {
				t.Fatal(err)
			}
			result, err := series.Apply(f.version, f.up, Options{Unrecorded: true})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(f.want, files(result)); d != "" {
				t.Errorf("files (-want +got):\n%s", d)
			}
		})
	}
}
