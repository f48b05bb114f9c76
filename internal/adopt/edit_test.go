package adopt

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/modfile"

	"github.com/offlock/offlock/internal/modtree"
)

const line = "replace github.com/thomaspoignant/go-feature-flag => ./third_party/go-feature-flag"

func TestAddReplace(t *testing.T) {
	for _, tc := range []struct{ name, before, after string }{
		{"plain", "module m\n", "module m\n\n" + line + "\n"},
		{"windows", "module m\r\n\r\ngo 1.25\r\n", "module m\r\n\r\ngo 1.25\r\n\r\n" + line + "\r\n"},
		{"no final line end", "module m\n\ngo 1.25", "module m\n\ngo 1.25\n\n" + line},
		{"windows without final line end", "module m\r\ngo 1.25", "module m\r\ngo 1.25\r\n\r\n" + line},
		{"behind a blank line", "module m\n\n", "module m\n\n" + line + "\n"},
		{"behind another replace", "module m\n\nreplace a => ./b\n", "module m\n\nreplace a => ./b\n\n" + line + "\n"},
		{"behind a block", "module m\nreplace (\n\ta => ./b\n)\n", "module m\nreplace (\n\ta => ./b\n)\n\n" + line + "\n"},
		{"behind a comment", "module m\n// end", "module m\n// end\n\n" + line},
	} {
		t.Run(tc.name, func(t *testing.T) {
			after := addReplace([]byte(tc.before), "./third_party/go-feature-flag")
			if diff := cmp.Diff(tc.after, string(after)); diff != "" {
				t.Errorf("after addReplace (-want +got):\n%s", diff)
			}
			e := edit("go.mod", []byte(tc.before), after)
			for _, h := range e.Hunks {
				if len(h.Removed) > 0 {
					t.Errorf("adding a line removes %q", h.Removed)
				}
			}
			before, ok := undo(e, after)
			if !ok || string(before) != tc.before {
				t.Errorf("undo = %q, %v; want the file before, %q", before, ok, tc.before)
			}
		})
	}
}

// The file that apply leaves is one that the go command has no reason to lay out anew.
func TestAddReplaceIsFormatted(t *testing.T) {
	for _, before := range []string{"module m\n", "module m\n\ngo 1.25\n\nreplace a v1.0.0 => ./b\n", "module m\n\nrequire (\n\ta v1.0.0\n)\n"} {
		after := addReplace([]byte(before), "./third_party/go-feature-flag")
		f, err := modfile.Parse("go.mod", after, nil)
		if err != nil {
			t.Fatal(err)
		}
		formatted, err := f.Format()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(formatted), string(after)); diff != "" {
			t.Errorf("the go command would write another file (-want +got):\n%s", diff)
		}
	}
}

func TestUndoAfterCheckoutWithOtherLineEnds(t *testing.T) {
	before := []byte("module m\n\ngo 1.25\n")
	e := edit("go.mod", before, addReplace(before, "./x"))
	checkout := bytes.ReplaceAll(addReplace(before, "./x"), []byte("\n"), []byte("\r\n"))
	got, ok := undo(e, checkout)
	if want := "module m\r\n\r\ngo 1.25\r\n"; !ok || string(got) != want {
		t.Errorf("undo = %q, %v; want %q", got, ok, want)
	}
}

func TestUndoRefusesWhatChangedSince(t *testing.T) {
	before := []byte("module m\n")
	after := addReplace(before, "./x")
	e := edit("go.mod", before, after)
	for _, text := range []string{string(after) + "// more\n", "", "module m\n"} {
		if got, ok := undo(e, []byte(text)); ok {
			t.Errorf("undo(%q) = %q, want a refusal", text, got)
		}
	}
	e.Hunks[0].Line = 99 // a lock that was tampered with
	if got, ok := undo(e, after); ok {
		t.Errorf("undo with a hunk behind the end = %q, want a refusal", got)
	}
}

func TestUndoOfGoGet(t *testing.T) {
	before := "module m\n\ngo 1.25\n\nrequire (\n\ta v1.0.0\n\tb v1.0.0\n\tc v1.0.0 // indirect\n)\n"
	after := "module m\n\ngo 1.26\n\nrequire (\n\ta v1.0.0\n\tb v1.1.0\n\tc v1.0.0 // indirect\n\td v1.0.0 // indirect\n)\n\n" + line + "\n"
	e := edit("go.mod", []byte(before), []byte(after))
	if len(e.Hunks) != 4 {
		t.Errorf("%d hunks, want one a run of changed lines: %+v", len(e.Hunks), e.Hunks)
	}
	if got, ok := undo(e, []byte(after)); !ok || string(got) != before {
		t.Errorf("undo = %q, %v; want the file before", got, ok)
	}
}

func TestHunksOfLongFiles(t *testing.T) {
	var a, b strings.Builder
	for i := range 3000 {
		a.WriteString(strings.Repeat("a", i%7) + "\n")
		b.WriteString(strings.Repeat("b", i%7+1) + "\n")
	}
	e := edit("go.sum", []byte(a.String()), []byte(b.String()))
	if got, ok := undo(e, []byte(b.String())); !ok || string(got) != a.String() {
		t.Error("undo does not give the file before")
	}
}

func TestDropReplace(t *testing.T) {
	for _, tc := range []struct{ name, before, after string }{
		{"as written", "module m\n\n" + line + "\n", "module m\n"},
		{"with lines behind it", "module m\n\n" + line + "\n\nrequire a v1.0.0\n", "module m\n\nrequire a v1.0.0\n"},
		{"moved into a block", "module m\n\nreplace (\n\ta => ./b\n\tgithub.com/thomaspoignant/go-feature-flag => ./third_party/go-feature-flag\n)\n", "module m\n\nreplace (\n\ta => ./b\n)\n"},
		{"alone in a block", "module m\n\nreplace (\n\tgithub.com/thomaspoignant/go-feature-flag => ./third_party/go-feature-flag\n)\n", "module m\n"},
		{"with a comment", "module m\n\n" + line + " // the fork\n", "module m\n"},
		{"windows", "module m\r\n\r\n" + line + "\r\n", "module m\r\n"},
		{"another folder", "module m\n\nreplace github.com/thomaspoignant/go-feature-flag => ./mine\n", "module m\n\nreplace github.com/thomaspoignant/go-feature-flag => ./mine\n"},
		{"a version", "module m\n\nreplace github.com/thomaspoignant/go-feature-flag => example.com/mine v1.0.0\n", "module m\n\nreplace github.com/thomaspoignant/go-feature-flag => example.com/mine v1.0.0\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			got, err := dropReplace(filepath.Join(dir, "go.mod"), []byte(tc.before), filepath.Join(dir, "third_party", "go-feature-flag"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.after, string(got)); diff != "" {
				t.Errorf("after dropReplace (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReplacementsIn(t *testing.T) {
	text := "module m\n\nreplace a => ./b\n\nreplace (\n\tgithub.com/thomaspoignant/go-feature-flag v1.52.1 => ../mine\n\tgithub.com/thomaspoignant/go-feature-flag => example.com/x v1.2.3\n)\n"
	found, err := replacementsIn("/s/go.mod", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range found {
		got = append(got, r.String()+" in "+r.dir())
	}
	want := []string{
		"github.com/thomaspoignant/go-feature-flag v1.52.1 => ../mine in " + filepath.FromSlash("/mine"),
		"github.com/thomaspoignant/go-feature-flag => example.com/x v1.2.3 in ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("replacements (-want +got):\n%s", diff)
	}
	if found[0].Line != 6 || found[1].Line != 7 {
		t.Errorf("lines %d and %d, want 6 and 7", found[0].Line, found[1].Line)
	}
}

func FuzzAddReplace(f *testing.F) {
	for _, seed := range []string{
		"module m\n", "module m", "module m\r\ngo 1.25\r\n", "module m\r", "module m\n\r", "module m\r\n\ngo 1.25", "module m\n\n\n",
		"module m\nreplace a => ./b\r", "// only a comment", "module m\nreplace (\n)\n", "module \"m\"\n\trequire a v1.0.0 // x\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, before []byte) {
		if _, err := modfile.Parse("go.mod", before, nil); err != nil {
			return // apply refuses such a file before it edits anything
		}
		after := addReplace(before, "./third_party/go-feature-flag")
		if !bytes.HasPrefix(after, before) {
			t.Fatalf("%q does not begin with the file as it was, %q", after, before)
		}
		found, err := replacementsIn("go.mod", after)
		if err != nil || len(found) == 0 {
			t.Fatalf("the line did not become part of %q: %v", after, err)
		}
		got, ok := undo(edit("go.mod", before, after), after)
		if !ok || !bytes.Equal(got, before) {
			t.Fatalf("undo = %q, %v; want %q", got, ok, before)
		}
	})
}

func FuzzHunks(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nc\nd\n")
	f.Add("", "a")
	f.Add("a\r\nb\r\n", "a\r\n")
	f.Add("a\nb", "b\na")
	f.Fuzz(func(t *testing.T, before, after string) {
		if strings.Contains(before, "\r") || strings.Contains(after, "\r") {
			return // mixed line ends cannot be told from the hunks; undo then refuses rather than guesses
		}
		got, ok := undo(edit("f", []byte(before), []byte(after)), []byte(after))
		if !ok || string(got) != before {
			t.Fatalf("undo = %q, %v; want %q", got, ok, before)
		}
	})
}

// TestUndoOfForgedHunks feeds undo what a lock file may hold that nobody wrote with offlock.
func TestUndoOfForgedHunks(t *testing.T) {
	text := []byte("a\nb\n")
	for _, hunk := range []modtree.Hunk{
		{Line: math.MaxInt, Added: []string{"x", "y", "z"}},
		{Line: math.MinInt},
		{Line: 0},
		{Line: 4, Added: []string{"x"}},
		{Line: 1, Added: []string{"a", "b", "", "d"}},
	} {
		if got, ok := undo(modtree.Edit{After: hash(text), Hunks: []modtree.Hunk{hunk}}, text); ok {
			t.Errorf("hunk %+v was undone to %q", hunk, got)
		}
	}
}
