package patches

import (
	"flag"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite what testdata expects to what came out; read the difference before committing it")

// fixture is one txtar file of testdata: upstream's tree under up/, a later release under next/ (what is not there is as in
// up/; an empty file is one that upstream removed), the series under series/, folders to copy under sources/. It expects
// the changed files under want/, the words of an error in want.err, or the states against the later release in want.states.
// The comment on top may name the version of up/ ("version: v1.2.0"); next/ is v1.9.0.
//
// In series/ and want.err, HASH[statement] stands for the statement's fingerprint.
type fixture struct {
	name     string
	archive  *txtar.Archive
	version  string
	up, next fstest.MapFS
	series   fstest.MapFS
	sources  fstest.MapFS
	want     map[string]string
	err      string
	states   string
}

// Front matter is the same in most cases, so that a patch without PATCH.md gets this.
const frontMatter = "---\nTitle: fix: a case\nKind: fix\nFor: all\n---\n"

const nextVersion = "v1.9.0"

var hashes = regexp.MustCompile(`HASH\[(.*)\]`)

func expand(text []byte) []byte {
	return hashes.ReplaceAllFunc(text, func(m []byte) []byte {
		return []byte(fingerprint(token.ILLEGAL, hashes.FindSubmatch(m)[1]))
	})
}

func readFixture(t testing.TB, name string) *fixture {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{name: name, archive: archive, version: "v1.2.0", up: fstest.MapFS{}, next: fstest.MapFS{},
		series: fstest.MapFS{}, sources: fstest.MapFS{}, want: map[string]string{}}
	for line := range strings.Lines(string(archive.Comment)) {
		if version, ok := strings.CutPrefix(line, "version: "); ok {
			f.version = strings.TrimSpace(version)
		}
	}
	for _, file := range archive.Files {
		top, rest, _ := strings.Cut(file.Name, "/")
		switch top {
		case "up":
			f.up[rest] = &fstest.MapFile{Data: file.Data}
		case "next":
			f.next[rest] = &fstest.MapFile{Data: file.Data}
		case "series":
			f.series[rest] = &fstest.MapFile{Data: expand(file.Data)}
		case "sources":
			f.sources[rest] = &fstest.MapFile{Data: file.Data}
		case "want":
			f.want[rest] = string(file.Data)
		case "want.err":
			f.err = strings.TrimSpace(string(expand(file.Data)))
		case "want.states":
			f.states = string(file.Data)
		default:
			t.Fatalf("%s: unexpected %s", name, file.Name)
		}
	}
	f.complete()
	return f
}

func (f *fixture) complete() {
	for file := range maps.Clone(f.series) {
		folder, _, _ := strings.Cut(file, "/")
		md := path.Join(folder, "PATCH.md")
		if f.series[md] == nil && folder != "bases" {
			f.series[md] = &fstest.MapFile{Data: []byte(frontMatter)}
		}
	}
	for file, content := range f.up {
		if f.next[file] == nil {
			f.next[file] = content
		}
	}
	maps.DeleteFunc(f.next, func(_ string, file *fstest.MapFile) bool { return len(file.Data) == 0 })
}

func (f *fixture) load() (*Series, error) {
	series, err := Load(f.series)
	if err == nil {
		series.Sources = f.sources
	}
	return series, err
}

// recorded loads the series with a base made of up/.
func (f *fixture) recorded() (*Series, error) {
	series, err := f.load()
	if err != nil {
		return nil, err
	}
	base, err := series.Record(f.version, f.up)
	if err != nil {
		return nil, err
	}
	series.bases[f.version] = base
	return series, nil
}

func fixtures(t testing.TB, pattern string) []*fixture {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	list := make([]*fixture, len(names))
	for i, name := range names {
		list[i] = readFixture(t, name)
	}
	return list
}

func (f *fixture) String() string { return strings.TrimSuffix(filepath.Base(f.name), ".txtar") }

// rewrite replaces the files whose names begin with prefix.
func (f *fixture) rewrite(t *testing.T, prefix string, got map[string]string) {
	t.Helper()
	f.archive.Files = slices.DeleteFunc(f.archive.Files, func(file txtar.File) bool { return strings.HasPrefix(file.Name, prefix) })
	for _, name := range slices.Sorted(maps.Keys(got)) {
		f.archive.Files = append(f.archive.Files, txtar.File{Name: prefix + name, Data: []byte(got[name])})
	}
	if err := os.WriteFile(f.name, txtar.Format(f.archive), 0o666); err != nil {
		t.Fatal(err)
	}
}

// files are a result's files as a fixture has them.
func files(r *Result) map[string]string {
	got := map[string]string{}
	for name, text := range r.Files {
		got[name] = string(text)
		if text == nil {
			got[name] = "deleted\n"
		}
	}
	return got
}
