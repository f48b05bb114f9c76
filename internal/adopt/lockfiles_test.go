package adopt

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/offlock/offlock/internal/modtree"
)

// A lock comes with a checkout, from whoever could write to it. Revert must not let it reach beyond the service's own
// files, nor put anything into them that was not there.
func TestRevertRefusesTamperedLock(t *testing.T) {
	const victim = "../../victim/"
	edit := func(file string, h ...modtree.Hunk) func(*modtree.Lock) {
		return func(l *modtree.Lock) {
			// What is there now is what the edit claims to have left, as whoever tampers would write it.
			l.Edits = append(l.Edits, modtree.Edit{File: file, Before: hash(nil), After: hash([]byte("keep\n")), Hunks: h})
		}
	}
	lines := func(file string, lines ...string) func(*modtree.Lock) {
		return func(l *modtree.Lock) { l.GoSum = append(l.GoSum, modtree.SumLines{File: file, Lines: lines}) }
	}
	good := strings.Split(strings.TrimSuffix(sums[newer], "\n"), "\n")
	clearing := modtree.Hunk{Line: 1, Added: []string{"keep", ""}, Removed: []string{""}}
	for _, tc := range []struct {
		name   string
		tamper func(*modtree.Lock)
		entry  string
	}{
		{"delete a file elsewhere", edit(victim+"go.sum", clearing), victim + "go.sum"},
		{"change another module", edit(victim+"go.mod", clearing), victim + "go.mod"},
		{"change any file of the service", edit("../main.go", clearing), "../main.go"},
		{"change a file of the fork", edit("go-feature-flag/go.mod", clearing), "go-feature-flag/go.mod"},
		{"the lock itself", edit("go-feature-flag.lock.json", clearing), "go-feature-flag.lock.json"},
		{"an absolute path", edit("/etc/hosts", clearing), "/etc/hosts"},
		{"a back slash", edit(`..\..\victim\go.sum`, clearing), `..\\..\\victim\\go.sum`},
		{"no name", edit("", clearing), ""},
		{"write elsewhere", lines(victim+"go.sum", good...), victim + "go.sum"},
		{"make a file elsewhere", lines("../../new/go.sum", good...), "../../new/go.sum"},
		{"make a file in the service", lines("../.bashrc", good...), "../.bashrc"},
		{"sums into go.mod", lines("../go.mod", good...), "../go.mod"},
		{"sums of another module", lines("../go.sum", strings.ReplaceAll(good[0], modtree.UpstreamPath, "example.com/x")), "../go.sum"},
		{"more than a line", lines("../go.sum", good[0]+"\nexample.com/x v1.0.0 h1:AAAA="), "../go.sum"},
		{"no sums at all", lines("../go.sum", "rm -rf /"), "../go.sum"},
		{"a go.sum that never was one", edit("../go.sum", modtree.Hunk{Line: 1, Removed: []string{"echo"}}), "../go.sum"},
		{"lines in a line", edit("../go.mod", modtree.Hunk{Line: 1, Removed: []string{"module m\nreplace a => b"}}), "../go.mod"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := service(t, "-- victim/go.sum --\nkeep\n-- victim/go.mod --\nkeep\n"+strings.ReplaceAll(small, "-- ", "-- svc/"))
			dir := filepath.Join(root, "svc")
			apply(t, dir, ApplyOptions{})
			path := modtree.LockPath(filepath.Join(dir, DefaultDir))
			lock, err := modtree.ReadLock(path)
			if err != nil {
				t.Fatal(err)
			}
			tc.tamper(lock)
			if err := modtree.WriteLock(path, lock); err != nil {
				t.Fatal(err)
			}
			before := snapshot(t, root)
			_, err = open(t, dir).Revert(t.Context(), RevertOptions{})
			if err == nil || !strings.Contains(err.Error(), "third_party/go-feature-flag.lock.json") || !strings.Contains(err.Error(), `"`+tc.entry+`"`) {
				t.Errorf("revert: %v, want an error that names the lock and %q", err, tc.entry)
			}
			if diff := cmp.Diff(before, snapshot(t, root)); diff != "" {
				t.Errorf("something was touched (-want +got):\n%s", diff)
			}
		})
	}
}

// A module that left the workspace with its files is no reason to refuse.
func TestRevertAfterAModuleIsGone(t *testing.T) {
	dir := service(t, workspace)
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	apply(t, a, ApplyOptions{})
	apply(t, b, ApplyOptions{})
	if err := os.RemoveAll(b); err != nil {
		t.Fatal(err)
	}
	write(t, strings.ReplaceAll(read(t, dir, "go.work"), "\t./b\n", ""), dir, "go.work")
	if r := revert(t, a); !slices.Contains(r.Missing, "../b/go.mod") {
		t.Errorf("reverted %+v, want ../b/go.mod among the missing", r)
	}
	if _, err := os.Stat(b); err == nil {
		t.Error("revert made the module's folder again")
	}
	if text := read(t, dir, "go.work") + read(t, a, "go.mod"); strings.Contains(text, "replace") {
		t.Errorf("the line is still there: %s", text)
	}
}
