package patches

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func embeddedSeries(t *testing.T) *Series {
	t.Helper()
	series, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	if len(series.Patches) == 0 || len(series.Bases()) == 0 {
		t.Fatalf("%d patches and %d bases are embedded", len(series.Patches), len(series.Bases()))
	}
	return series
}

// Every patch applies to every recorded base that it is for: all together, and each alone with what it needs.
func TestEmbeddedApplies(t *testing.T) {
	series := embeddedSeries(t)
	for _, base := range series.Bases() {
		t.Run(base.Version, func(t *testing.T) {
			tree := upstream(t, base.Version)
			result, err := series.Apply(base.Version, tree, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !result.Tested {
				t.Error("a recorded base is not reported as tested")
			}
			for _, r := range result.Reports {
				switch {
				case r.State == NotForBase || r.State == Landed:
				case !r.State.Applies():
					t.Errorf("%s is %s: %s", r.Patch.Name, r.State, r.Reason)
				default:
					applyAlone(t, series, base.Version, tree, r.Patch)
				}
			}
		})
	}
}

func applyAlone(t *testing.T, series *Series, version string, tree fs.FS, p *Patch) {
	t.Helper()
	result, err := series.Apply(version, tree, Options{Selection: Selection{Only: []string{p.Name}}})
	if err != nil {
		t.Errorf("only %s: %v", p.Name, err)
		return
	}
	for _, r := range result.Reports {
		if r.State.Applies() && r.Patch != p && r.PulledBy == "" {
			t.Errorf("only %s: %s is applied too and nobody needs it", p.Name, r.Patch.Name)
		}
	}
}

// The committed bases are what would be recorded now.
func TestEmbeddedBasesAreCurrent(t *testing.T) {
	series := embeddedSeries(t)
	for _, base := range series.Bases() {
		t.Run(base.Version, func(t *testing.T) {
			again, err := series.Record(base.Version, upstream(t, base.Version))
			if err != nil {
				t.Fatal(err)
			}
			again.Sum, again.GoModSum, again.Commit = base.Sum, base.GoModSum, base.Commit
			if d := cmp.Diff(toJSON(t, base), toJSON(t, again)); d != "" {
				t.Errorf("run \"go run ./patches/author record %s\" (-committed +now):\n%s", base.Version, d)
			}
		})
	}
}

func toJSON(t *testing.T, b *Base) string {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(b); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// Every patch can be sent upstream as it is: it has a title in Conventional Commits form, and a text.
func TestEmbeddedTexts(t *testing.T) {
	for _, p := range embeddedSeries(t).Patches {
		if !strings.HasPrefix(p.Title, p.Kind+":") && !strings.HasPrefix(p.Title, p.Kind+"(") {
			t.Errorf("%s: title %q does not begin with its kind, %s", p.Name, p.Title, p.Kind)
		}
		if strings.TrimSpace(p.Text) == "" {
			t.Errorf("%s has no text", p.Name)
		}
		for _, f := range p.files {
			if f.src != nil && !bytes.Equal(formatted(t, f.src.text), f.src.text) {
				t.Errorf("%s: %s is not formatted", p.Name, f.path)
			}
		}
	}
}

// changedFile is a tree with one file changed.
type changedFile struct {
	fs.FS
	name string
	text []byte
}

func (c changedFile) Open(name string) (fs.File, error) {
	if name == c.name {
		return fstest.MapFS{name: {Data: c.text}}.Open(name)
	}
	return c.FS.Open(name)
}

// That AddEvent waits for no export rests on what the store does under its lock: a release that changes it is refused, until
// somebody has looked.
func TestEmbeddedLeansOnTheStore(t *testing.T) {
	series := embeddedSeries(t)
	store := []string{"Add", "AddConsumer", "GetPendingEventCount", "ProcessPendingEvents", "cleanQueue", "fetchPendingEvents",
		"getConsumer", "updateConsumerOffset"}
	for base, next := range map[string]string{"v1.52.1": "v1.52.9", "v1.55.2": "v1.99.0"} {
		t.Run(base, func(t *testing.T) {
			tree := newTree(upstream(t, base))
			for _, name := range append(store, "") {
				changed := changedFile{FS: tree.base}
				if name != "" {
					found, err := tree.find("exporter", "eventStoreImpl."+name)
					if err != nil || len(found) != 1 {
						t.Fatalf("%s: %d declarations, error %v", name, len(found), err)
					}
					u := found[0]
					body := u.src.offset(u.body().Lbrace) + 1
					changed.name = u.src.path
					changed.text = slices.Concat(u.src.text[:body], []byte("\n\tprintln()"), u.src.text[body:])
				}
				result, err := series.Status(next, changed, Options{})
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range result.Reports {
					if r.Patch.Number() == "0003" && r.State.Applies() != (name == "") {
						t.Errorf("%s changed: 0003 is %s, %s", name, r.State, r.Reason)
					}
				}
			}
		})
	}
}
