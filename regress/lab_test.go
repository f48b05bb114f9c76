package regress

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/offlock/offlock/internal/modtree"
)

// writeModule writes a module and returns its folder.
func writeModule(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func newTestLab(t *testing.T, module string) *Lab {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	lab, err := NewLab(module)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		dir := lab.work.path
		if err := lab.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", dir, err)
		}
	})
	return lab
}

func TestLabPlain(t *testing.T) {
	lab := newTestLab(t, writeModule(t, map[string]string{
		"go.mod":           "module example.com/m\n\ngo 1.25\n",
		"good/a_test.go":   "package good\n\nimport \"testing\"\n\nfunc BenchmarkA(b *testing.B) {}\n",
		"broken/a_test.go": "package broken\n\nfunc f() int { return missing }\n",
	}))
	binary, err := lab.BuildPlainTest(t.Context(), "peers", "./good")
	if err != nil {
		t.Fatal(err)
	}
	out, err := lab.Command(t.Context(), binary, "-test.list=.").Output()
	if err != nil || string(out) != "BenchmarkA\n" {
		t.Errorf("the binary lists %q, %v", out, err)
	}

	_, err = lab.BuildPlainTest(t.Context(), "peers", "./broken")
	if err == nil || !strings.Contains(err.Error(), "./broken on peers") || !strings.Contains(err.Error(), "undefined: missing") {
		t.Errorf("error %v, want one with the package, the arm and the compiler's words", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := lab.BuildPlainTest(ctx, "peers", "./good"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// A binary of an arm holds that library; one that does not is found out, and so is a module that differs beside it.
func TestLabArm(t *testing.T) {
	if testing.Short() {
		t.Skip("builds on upstream's sources, which -short leaves alone")
	}
	root, err := FindRoot("")
	if err != nil {
		t.Fatal(err)
	}
	lab := newTestLab(t, filepath.Join(root, "bench"))
	arms := map[string]Arm{}
	for _, arm := range Arms() {
		arms[arm.Name] = arm
	}
	binaries := map[string]string{}
	for _, name := range []string{forkVersion, forkName} {
		if binaries[name], err = lab.BuildTest(t.Context(), arms[name], "./addevent"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := modtree.ReadMarker(binaries[forkVersion]); !errors.Is(err, modtree.ErrNoMarker) {
		t.Errorf("the marker of the plain release: %v", err)
	}
	if _, err := modtree.ReadMarker(binaries[forkName]); err != nil {
		t.Errorf("the marker of the fork: %v", err)
	}

	plain := []string{"-mod=mod", "-modfile=" + filepath.Join(lab.work.path, "mod", forkVersion+".mod")}
	patched := []string{"-mod=mod", "-modfile=" + filepath.Join(lab.work.path, "mod", forkName+".mod")}
	for _, test := range []struct {
		name   string
		binary string
		want   string
		flags  []string
	}{
		{"plain instead of the fork", forkVersion, forkName, plain},
		{"plain under the fork's go.mod", forkVersion, forkName, patched},
		{"the fork instead of plain", forkName, forkVersion, patched},
		{"the fork under plain's go.mod", forkName, forkVersion, plain},
	} {
		err := lab.checkTest(t.Context(), binaries[test.binary], lab.libraries[test.want], "./addevent", test.flags)
		if err == nil {
			t.Errorf("%s is not found out", test.name)
		}
	}
	lab.common["./addevent"]["github.com/google/uuid"] = "v0.0.1"
	err = lab.checkTest(t.Context(), binaries[forkName], lab.libraries[forkName], "./addevent", patched)
	if err == nil || !strings.Contains(err.Error(), "github.com/google/uuid") {
		t.Errorf("error %v, want one of the module that differs", err)
	}
}
