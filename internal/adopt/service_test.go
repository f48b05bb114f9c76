package adopt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOpenRefuses(t *testing.T) {
	for _, tc := range []struct{ name, gomod, want string }{
		{"syntax", "module m\n\nrequire (\n", "go.mod:4: syntax error"},
		{"unknown verb", "module m\n\nimport x\n", "go.mod:3: unknown directive: import"},
		{"no module line", "go 1.21\n", "go.mod:1: no module directive"},
		{"empty", "", "go.mod:1: no module directive"},
		{"binary", "\x00\x01\xff\n", "go.mod:1:"},
		{"errors without end", "module m\n" + strings.Repeat("junk junk\n", 1000), "(and 995 more)"},
		{"huge", "module m\n" + strings.Repeat("// padding padding padding padding padding\n", maxModFile/40), "larger than 16 MiB"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, tc.gomod, dir, "go.mod")
			_, err := Open(t.Context(), dir)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one that says %q", err, tc.want)
			}
		})
	}
}

func TestOpenBelowTheModule(t *testing.T) {
	dir := service(t, small+"-- internal/deep/x.go --\npackage deep\n")
	deep := filepath.Join(dir, "internal", "deep")
	s := open(t, deep)
	if !sameFile(s.Root, dir) {
		t.Errorf("root %s, want %s", s.Root, dir)
	}
	applied := apply(t, deep, ApplyOptions{})
	if diff := cmp.Diff([]string{"../../third_party/go-feature-flag", "../../go.mod"}, append([]string{applied.Dir}, applied.Edited...)); diff != "" {
		t.Errorf("paths as seen from below (-want +got):\n%s", diff)
	}
}

func TestOpenRefusesModfileFlag(t *testing.T) {
	dir := service(t, small)
	t.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -modfile=other.mod")
	if _, err := Open(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "GOFLAGS sets -modfile") {
		t.Errorf("error %v, want one that names GOFLAGS", err)
	}
}

// Flags that choose the vendor folder must not reach the commands that work on a copy of go.mod.
func TestApplyWithVendorFlag(t *testing.T) {
	dir := service(t, strings.ReplaceAll(strings.ReplaceAll(small, newer, older), "NEWER", "OLDER"))
	goRun(t, dir, "mod", "vendor")
	t.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -mod=vendor")
	before := snapshot(t, dir)
	if applied := apply(t, dir, ApplyOptions{To: newer}); applied.Base != newer {
		t.Errorf("applied %+v, want %s", applied, newer)
	}
	if got := problems(t, dir); len(got) > 0 {
		t.Errorf("check finds %q", got)
	}
	revert(t, dir)
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("after revert (-want +got):\n%s", diff)
	}
}

func TestGoErrorTellsNetworkFromInput(t *testing.T) {
	dir := service(t, small)
	t.Setenv("GOPROXY", "off")
	_, err := goCommand(t.Context(), dir, nil, "list", "-m", "-o", "x", "example.com/nowhere@v1.0.0")
	if failed, ok := err.(*GoError); !ok || strings.Contains(err.Error(), "-o x") {
		t.Errorf("error %v (%T), want a GoError without our own arguments", err, failed)
	}
	_, err = goCommand(t.Context(), dir, nil, "mod", "download", "example.com/nowhere@v1.0.0")
	if failed, ok := err.(*GoError); !ok || !failed.Network {
		t.Errorf("error %v, want a GoError of the network", err)
	}
	_, err = goCommand(t.Context(), dir, nil, "mod", "edit", "-require=nonsense")
	if failed, ok := err.(*GoError); !ok || failed.Network {
		t.Errorf("error %v, want a GoError of the input", err)
	}
}
