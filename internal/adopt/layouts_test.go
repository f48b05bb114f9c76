package adopt

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const vendored = `
-- vendor/modules.txt --
# github.com/thomaspoignant/go-feature-flag v1.55.2
## explicit; go 1.21
github.com/thomaspoignant/go-feature-flag/exporter
-- vendor/github.com/thomaspoignant/go-feature-flag/exporter/exporter.go --
package exporter

const Name = "vendored"
`

func gitInit(t *testing.T, dir string) {
	t.Helper()
	if out, err := exec.Command("git", "-C", dir, "init", "-q").CombinedOutput(); errors.Is(err, exec.ErrNotFound) {
		t.Skip("git is not installed")
	} else if err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
}

func TestVendoredService(t *testing.T) {
	dir := service(t, small)
	goRun(t, dir, "mod", "vendor")
	before := snapshot(t, dir)
	applied := apply(t, dir, ApplyOptions{})
	if diff := cmp.Diff([]string{"vendor"}, applied.Vendored); diff != "" {
		t.Errorf("vendored (-want +got):\n%s", diff)
	}
	read(t, dir, "vendor", "github.com/thomaspoignant/go-feature-flag/exporter/offlock_marker.go")
	if got := problems(t, dir); len(got) > 0 {
		t.Errorf("check finds %q", got)
	}
	if again := apply(t, dir, ApplyOptions{}); again.Changed {
		t.Errorf("second apply %+v, want nothing to do", again)
	}
	exporter := filepath.Join(dir, "vendor", "github.com/thomaspoignant/go-feature-flag/exporter/exporter.go")
	whole := read(t, exporter)
	write(t, whole+"// edited\n", exporter)
	if diff := cmp.Diff([]string{VendorStale}, problems(t, dir)); diff != "" {
		t.Errorf("problems of an edited vendor folder (-want +got):\n%s", diff)
	}
	apply(t, dir, ApplyOptions{})
	if read(t, exporter) != whole {
		t.Error("apply left the edited vendor folder")
	}
	revert(t, dir)
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("after revert (-want +got):\n%s", diff)
	}
}

const workspace = `
-- go.work --
go 1.21

use (
	./a
	./b
)
-- a/go.mod --
module example.com/a

go 1.21

require github.com/thomaspoignant/go-feature-flag v1.55.2
-- a/go.sum --
NEWER
-- a/main.go --
package main

import "github.com/thomaspoignant/go-feature-flag/exporter"

func main() { println(exporter.Name) }
-- b/go.mod --
module example.com/b

go 1.21

require github.com/thomaspoignant/go-feature-flag v1.55.2
-- b/go.sum --
NEWER
-- b/main.go --
package main

import "github.com/thomaspoignant/go-feature-flag/exporter"

func main() { println(exporter.Name) }
`

func TestWorkspace(t *testing.T) {
	dir := service(t, workspace)
	before := snapshot(t, dir)
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	applied := apply(t, a, ApplyOptions{})
	if applied.Dir != "../third_party/go-feature-flag" {
		t.Errorf("the fork is in %s, want it beside go.work", applied.Dir)
	}
	if !strings.HasSuffix(read(t, dir, "go.work"), line+"\n") || !strings.Contains(read(t, a, "go.mod"), "=> ../third_party/go-feature-flag") {
		t.Errorf("go.work %q, a/go.mod %q: want the line in both", read(t, dir, "go.work"), read(t, a, "go.mod"))
	}
	if diff := cmp.Diff([]string{NotReplaced}, problems(t, b)); diff != "" {
		t.Errorf("problems of b, which has no line yet (-want +got):\n%s", diff)
	}
	second := apply(t, b, ApplyOptions{})
	if diff := cmp.Diff([]string{"go.mod"}, second.Edited); diff != "" || second.Action != Kept {
		t.Errorf("second module: %+v, want its go.mod alone (-want +got):\n%s", second, diff)
	}
	for _, module := range []string{a, b} {
		if got := problems(t, module); len(got) > 0 {
			t.Errorf("check in %s finds %q", module, got)
		}
		for _, work := range []string{filepath.Join(dir, "go.work"), "off"} {
			out, err := goCommand(t.Context(), module, []string{"GOWORK=" + work}, "list", "-f", "{{.Dir}}", "github.com/thomaspoignant/go-feature-flag/exporter")
			if err != nil {
				t.Fatal(err)
			}
			if want := filepath.Join(dir, DefaultDir, "exporter"); strings.TrimSpace(string(out)) != want {
				t.Errorf("with GOWORK=%s, %s builds %s, want %s", work, module, out, want)
			}
		}
	}
	revert(t, b)
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("after revert (-want +got):\n%s", diff)
	}
}

// With GOWORK=off a module is built, and adopted, as if there were no workspace.
func TestWorkspaceOff(t *testing.T) {
	dir := service(t, workspace)
	before := snapshot(t, dir)
	a := filepath.Join(dir, "a")
	apply(t, a, ApplyOptions{})
	t.Setenv("GOWORK", "off")
	if got := problems(t, a); len(got) > 0 {
		t.Errorf("check finds %q in a module of the workspace", got)
	}
	if _, err := open(t, a).Revert(t.Context(), RevertOptions{}); err == nil || !strings.Contains(err.Error(), "GOWORK") {
		t.Errorf("revert of what the workspace has: %v, want a refusal that names GOWORK", err)
	}
	t.Setenv("GOWORK", "")
	revert(t, a)

	t.Setenv("GOWORK", "off")
	if applied := apply(t, a, ApplyOptions{}); applied.Dir != DefaultDir || applied.Edited[0] != "go.mod" {
		t.Errorf("applied %+v, want the fork in the module", applied)
	}
	if got := problems(t, a); len(got) > 0 {
		t.Errorf("check finds %q", got)
	}
	revert(t, a)
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("after revert (-want +got):\n%s", diff)
	}
}

func TestVendoredWorkspace(t *testing.T) {
	dir := service(t, workspace)
	goRun(t, dir, "work", "vendor")
	before := snapshot(t, dir)
	a := filepath.Join(dir, "a")
	apply(t, a, ApplyOptions{})
	read(t, dir, "vendor", "github.com/thomaspoignant/go-feature-flag/exporter/offlock_marker.go")
	if got := problems(t, a); len(got) > 0 {
		t.Errorf("check finds %q", got)
	}
	revert(t, a)
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("after revert (-want +got):\n%s", diff)
	}
}

// A tidy drops the go.sum lines of what is replaced; revert brings them back.
func TestRevertAfterTidy(t *testing.T) {
	dir := service(t, small)
	before := snapshot(t, dir)
	apply(t, dir, ApplyOptions{})
	goRun(t, dir, "mod", "tidy")
	if strings.Contains(read(t, dir, "go.sum"), newer) {
		t.Fatal("tidy kept the lines, so this test shows nothing")
	}
	if again := apply(t, dir, ApplyOptions{}); again.Changed {
		t.Errorf("apply after tidy %+v, want nothing to do", again)
	}
	reverted := revert(t, dir)
	if diff := cmp.Diff([]string{"go.sum"}, reverted.Sums); diff != "" {
		t.Errorf("go.sum (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("after revert (-want +got):\n%s", diff)
	}
}

func TestRevertAfterOtherEdits(t *testing.T) {
	dir := service(t, small)
	gomod := read(t, dir, "go.mod")
	apply(t, dir, ApplyOptions{})
	write(t, strings.Replace(read(t, dir, "go.mod"), "go 1.21\n", "go 1.21 // why\n", 1)+"\n// the end\n", dir, "go.mod")
	reverted := revert(t, dir)
	if diff := cmp.Diff([]string{"go.mod"}, reverted.Partly); diff != "" {
		t.Errorf("partly (-want +got):\n%s", diff)
	}
	want := strings.Replace(gomod, "go 1.21\n", "go 1.21 // why\n", 1) + "\n// the end\n"
	if diff := cmp.Diff(want, read(t, dir, "go.mod")); diff != "" {
		t.Errorf("go.mod (-want +got):\n%s", diff)
	}
	if _, err := open(t, dir).Revert(t.Context(), RevertOptions{}); !errors.Is(err, ErrNotAdopted) {
		t.Errorf("second revert: %v, want ErrNotAdopted", err)
	}
}

// After --to, go.sum is for the new requirement: where go.mod cannot go back, it must not go back alone.
func TestRevertKeepsSumsOfWhatIsRequired(t *testing.T) {
	dir := service(t, strings.ReplaceAll(strings.ReplaceAll(small, newer, older), "NEWER", "OLDER"))
	apply(t, dir, ApplyOptions{To: newer})
	write(t, read(t, dir, "go.mod")+"// more\n", dir, "go.mod")
	reverted := revert(t, dir)
	if len(reverted.Restored) > 0 {
		t.Errorf("restored %q, want nothing", reverted.Restored)
	}
	goRun(t, dir, "build", "-o", filepath.Join(t.TempDir(), "svc"), ".")
	if sel, err := open(t, dir).Selected(t.Context()); err != nil || sel.Version != newer || sel.Folder != "" {
		t.Errorf("selected %+v, %v; want plain %s", sel, err, newer)
	}
}
