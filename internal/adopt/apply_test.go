package adopt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/offlock/offlock/internal/modtree"
)

func TestApplyAndRevert(t *testing.T) {
	for _, tc := range []struct {
		name string
		ends func(string) string
	}{
		{"unix", func(s string) string { return s }},
		{"windows", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }},
		{"no final line end", func(s string) string { return strings.TrimSuffix(s, "\n") }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := service(t, small)
			write(t, tc.ends(read(t, dir, "go.mod")), dir, "go.mod")
			before := snapshot(t, dir)
			gomod, gosum := read(t, dir, "go.mod"), read(t, dir, "go.sum")

			applied := apply(t, dir, ApplyOptions{})
			if applied.Action != Written || !applied.Changed || applied.Base != newer {
				t.Errorf("applied %+v, want a fork of %s, written", applied, newer)
			}
			if got, ok := strings.CutPrefix(read(t, dir, "go.mod"), gomod); !ok || !strings.Contains(got, line) {
				t.Errorf("go.mod became %q, want it as it was and one line more", read(t, dir, "go.mod"))
			}
			if read(t, dir, "go.sum") != gosum {
				t.Error("apply changed go.sum")
			}
			if got := problems(t, dir); len(got) > 0 {
				t.Errorf("check finds %q", got)
			}
			goRun(t, dir, "build", "-o", filepath.Join(t.TempDir(), "svc"), ".")

			after := snapshot(t, dir)
			if again := apply(t, dir, ApplyOptions{}); again.Changed || again.Action != Kept {
				t.Errorf("second apply %+v, want nothing to do", again)
			}
			if diff := cmp.Diff(after, snapshot(t, dir)); diff != "" {
				t.Errorf("the second apply changed (-want +got):\n%s", diff)
			}

			reverted := revert(t, dir)
			if diff := cmp.Diff([]string{"go.mod"}, reverted.Restored); diff != "" {
				t.Errorf("restored (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
				t.Errorf("after revert (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	dir := service(t, strings.ReplaceAll(strings.ReplaceAll(small, newer, older), "NEWER", "OLDER"))
	before := snapshot(t, dir)
	for _, to := range []string{"", newer} {
		applied := apply(t, dir, ApplyOptions{DryRun: true, To: to})
		if !applied.Changed || !applied.DryRun || len(applied.Edited) == 0 {
			t.Errorf("dry run %+v, want it to say what it would do", applied)
		}
		if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
			t.Errorf("a dry run with --to %q changed (-want +got):\n%s", to, diff)
		}
	}
}

func TestApplyTo(t *testing.T) {
	dir := service(t, strings.ReplaceAll(strings.ReplaceAll(small, newer, older), "NEWER", "OLDER"))
	before := snapshot(t, dir)
	apply(t, dir, ApplyOptions{})
	applied := apply(t, dir, ApplyOptions{To: newer})
	if applied.Base != newer || applied.Was != older || applied.Action != Rewritten {
		t.Errorf("applied %+v, want the fork of %s rewritten for %s", applied, older, newer)
	}
	if diff := cmp.Diff([]Moved{{modtree.UpstreamPath, older, newer}}, applied.Moved); diff != "" {
		t.Errorf("moved (-want +got):\n%s", diff)
	}
	if got := problems(t, dir); len(got) > 0 {
		t.Errorf("check finds %q", got)
	}
	if again := apply(t, dir, ApplyOptions{To: newer}); again.Changed {
		t.Errorf("second apply %+v, want nothing to do", again)
	}
	revert(t, dir)
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("after revert (-want +got):\n%s", diff)
	}
	if _, err := open(t, dir).Apply(t.Context(), ApplyOptions{Build: build, To: "v1.99.0"}); err == nil {
		t.Error("a version that nobody serves was applied")
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("after the refusal (-want +got):\n%s", diff)
	}
}

// bumped is a service that moved its requirement itself, as documented, with the fork of the older release in place.
func bumped(t *testing.T) string {
	t.Helper()
	dir := service(t, strings.ReplaceAll(strings.ReplaceAll(small, newer, older), "NEWER", "OLDER"))
	apply(t, dir, ApplyOptions{})
	goRun(t, dir, "get", modtree.UpstreamPath+"@"+newer)
	if text := read(t, dir, "go.sum"); strings.Contains(text, newer) {
		t.Fatalf("go get recorded hashes of what is replaced, so this test shows nothing: %s", text)
	}
	if diff := cmp.Diff([]string{VersionMoved}, problems(t, dir)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	return dir
}

// The go command records no hash of a version that is replaced: apply asks the checksum database for it.
func TestApplyAfterBump(t *testing.T) {
	dir := bumped(t)
	checksumDatabase(t, sums[newer])
	var said []string
	applied := apply(t, dir, ApplyOptions{Message: func(format string, args ...any) {
		said = append(said, fmt.Sprintf(format, args...))
	}})
	if applied.Action != Rewritten || applied.Was != older || applied.Base != newer {
		t.Errorf("applied %+v, want the fork rewritten", applied)
	}
	if len(said) != 1 || !strings.Contains(said[0], "the checksum database says") {
		t.Errorf("said %q, want where the hash is from", said)
	}
	if got := problems(t, dir); len(got) > 0 {
		t.Errorf("check finds %q", got)
	}
	if again := apply(t, dir, ApplyOptions{}); again.Changed {
		t.Errorf("second apply %+v, want nothing to do", again)
	}
	reverted := revert(t, dir)
	if diff := cmp.Diff([]string{"go.mod"}, reverted.Partly); diff != "" {
		t.Errorf("partly (-want +got):\n%s", diff)
	}
	if text := read(t, dir, "go.mod"); strings.Contains(text, "replace") || !strings.Contains(text, newer) {
		t.Errorf("go.mod is %q, want the new requirement and no line of ours", text)
	}
	goRun(t, dir, "build", "-o", filepath.Join(t.TempDir(), "svc"), ".") // with the hash that apply verified
}

func TestApplyAfterBumpRefuses(t *testing.T) {
	for _, tc := range []struct {
		name    string
		prepare func(t *testing.T)
		want    string
	}{
		{"database off", func(t *testing.T) { checksumDatabase(t, sums[newer]); t.Setenv("GOSUMDB", "off") }, "offlock apply --to " + newer},
		{"a module that it must not know", func(t *testing.T) {
			checksumDatabase(t, sums[newer])
			t.Setenv("GONOSUMDB", "example.com,github.com/thomaspoignant")
		}, "offlock apply --to " + newer},
		{"private", func(t *testing.T) {
			checksumDatabase(t, sums[newer])
			os.Unsetenv("GONOSUMDB") // its default is GOPRIVATE
			t.Setenv("GOPRIVATE", "github.com/thomaspoignant/*")
			t.Setenv("GONOPROXY", "none")
		}, "offlock apply --to " + newer},
		{"the proxy serves something else", func(t *testing.T) {
			checksumDatabase(t, strings.NewReplacer(fieldsOf(sums[newer])[2], fieldsOf(sums[older])[2]).Replace(sums[newer]))
		}, "checksum mismatch"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := bumped(t)
			tc.prepare(t)
			before := snapshot(t, dir)
			_, err := open(t, dir).Apply(t.Context(), ApplyOptions{Build: build})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one that says %q", err, tc.want)
			}
			if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
				t.Errorf("half done (-want +got):\n%s", diff)
			}
			t.Setenv("GONOSUMDB", "*")
			if applied := apply(t, dir, ApplyOptions{To: newer}); applied.Base != newer || applied.Action != Rewritten {
				t.Errorf("with --to: %+v, want the fork rewritten", applied)
			}
			if got := problems(t, dir); len(got) > 0 {
				t.Errorf("check finds %q", got)
			}
		})
	}
}

// Whatever step fails, the service is as it was.
func TestApplyIsAllOrNothing(t *testing.T) {
	for _, tc := range []struct {
		name    string
		archive string
		prepare func(t *testing.T, dir string)
		opts    ApplyOptions
		want    string
	}{
		{"the build fails", small, nil, ApplyOptions{Build: func(context.Context, string, modtree.Hashes) (*modtree.Base, *modtree.Tree, error) {
			return nil, nil, errors.New("drift")
		}}, "drift"},
		{"a file in the place of the parent folder", small + "-- third_party --\n", nil, ApplyOptions{}, "third_party"},
		{"a folder that is not ours", small + "-- third_party/go-feature-flag/x.go --\npackage x\n", nil, ApplyOptions{}, "did not write"},
		{"a folder in the place of the lock", small + "-- third_party/go-feature-flag.lock.json/x --\n", nil, ApplyOptions{}, "lock"},
		{"a vendor folder that cannot be made", small + "-- other/other.go --\npackage other\n\nimport _ \"example.com/missing\"\n" + vendored, nil, ApplyOptions{}, "example.com/missing"},
		{"the service's own folder", small, nil, ApplyOptions{Dir: "."}, "folder of its own"},
		{"below vendor", small + vendored, nil, ApplyOptions{Dir: "vendor/x"}, "vendor folder"},
		{"replaced already", small + "-- mine/go.mod --\nmodule m\n", func(t *testing.T, dir string) {
			write(t, read(t, dir, "go.mod")+"replace (\n\t"+modtree.UpstreamPath+" v1.55.2 => ./mine\n)\n", dir, "go.mod")
		}, ApplyOptions{}, "go.mod:7: " + modtree.UpstreamPath + " v1.55.2 => ./mine"},
		{"ignored by git", small + "-- .gitignore --\n*.txt\n", func(t *testing.T, dir string) { gitInit(t, dir) }, ApplyOptions{}, ".gitignore:1:*.txt"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := service(t, tc.archive)
			if tc.prepare != nil {
				tc.prepare(t, dir)
			}
			before := snapshot(t, dir)
			if tc.opts.Build == nil {
				tc.opts.Build = build
			}
			_, err := open(t, dir).Apply(t.Context(), tc.opts)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one that says %q", err, tc.want)
			}
			if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
				t.Errorf("half done (-want +got):\n%s", diff)
			}
		})
	}
}

func TestApplyStoppedIsUndone(t *testing.T) {
	dir := service(t, small)
	before := snapshot(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := open(t, dir).Apply(ctx, ApplyOptions{Build: build, Progress: func(format string, _ ...any) {
		if strings.HasPrefix(format, "writing") {
			cancel() // the folder is about to be written: the steps behind it notice
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("half done (-want +got):\n%s", diff)
	}
}

func TestApplyNeverOverEdits(t *testing.T) {
	dir := service(t, small)
	apply(t, dir, ApplyOptions{})
	write(t, "package flag\n", dir, DefaultDir, "flag.go")
	before := snapshot(t, dir)
	var edited *modtree.EditedError
	if _, err := open(t, dir).Apply(t.Context(), ApplyOptions{Build: build}); !errors.As(err, &edited) || !slices.Contains(edited.Paths, "flag.go") {
		t.Errorf("apply: %v, want an EditedError that names flag.go", err)
	}
	if _, err := open(t, dir).Revert(t.Context(), RevertOptions{}); !errors.As(err, &edited) {
		t.Errorf("revert: %v, want an EditedError", err)
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("half done (-want +got):\n%s", diff)
	}
}

// The folder is gone but the line is there, as after a checkout without it: apply brings it back.
func TestApplyBringsTheFolderBack(t *testing.T) {
	dir := service(t, small)
	apply(t, dir, ApplyOptions{})
	want := snapshot(t, dir)
	if err := os.RemoveAll(filepath.Join(dir, DefaultDir)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{FolderMissing}, problems(t, dir)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	apply(t, dir, ApplyOptions{})
	if diff := cmp.Diff(want, snapshot(t, dir)); diff != "" {
		t.Errorf("after apply (-want +got):\n%s", diff)
	}
}

func TestNotRequired(t *testing.T) {
	dir := service(t, "-- go.mod --\nmodule m\n\ngo 1.21\n")
	if _, err := open(t, dir).Apply(t.Context(), ApplyOptions{Build: build}); !errors.Is(err, ErrNotRequired) {
		t.Errorf("apply: %v, want ErrNotRequired", err)
	}
	if _, err := Open(t.Context(), t.TempDir()); !errors.Is(err, ErrNoModule) {
		t.Errorf("open outside of a module: %v, want ErrNoModule", err)
	}
}
