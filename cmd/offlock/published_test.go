package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/offlock/offlock/internal/modtree/modtreetest"
)

// TestPublishedModule serves this module as a module proxy would and runs `go run …/cmd/offlock@VERSION` in a service: what the
// command needs must be in the module's zip, and go.mod must hold no replace line.
func TestPublishedModule(t *testing.T) {
	if testing.Short() {
		t.Skip("downloads go-feature-flag and builds the command from a module proxy; run without -short")
	}
	const version = "v0.0.1-test"
	proxy := publish(t, module.Version{Path: "github.com/offlock/offlock", Version: version})
	service := t.TempDir()
	writeFile(t, filepath.Join(service, "go.mod"),
		"module example.com/svc\n\ngo 1.26.6\n\nrequire github.com/thomaspoignant/go-feature-flag v1.55.2\n")

	// A module cache of its own keeps the version out of the user's; what the user has need not be downloaded again.
	cache := filepath.Join(strings.TrimSpace(goOutput(t, "env", "GOMODCACHE")), "cache", "download")
	env := append(os.Environ(), "GOMODCACHE="+t.TempDir(), "GOFLAGS=-modcacherw", "GOWORK=off",
		"GONOSUMDB=github.com/offlock/*", "GONOPROXY=none", "GOPRIVATE=",
		"GOPROXY="+strings.Join([]string{modtreetest.URL(proxy), modtreetest.URL(cache), strings.TrimSpace(goOutput(t, "env", "GOPROXY"))}, ","))
	for _, args := range [][]string{{"apply"}, {"check"}, {"revert"}, {"--version"}} {
		run := exec.Command("go", append([]string{"run", "github.com/offlock/offlock/cmd/offlock@" + version}, args...)...)
		run.Dir, run.Env = service, env
		out, err := run.CombinedOutput()
		if err != nil {
			t.Fatalf("offlock@%s %v: %v\n%s", version, args, err, out)
		}
		if args[0] == "--version" && !strings.Contains(string(out), version) {
			t.Errorf("--version prints %q, want %s", out, version)
		}
	}
}

// publish writes a module proxy with one version, made from this checkout, and returns its folder.
func publish(t *testing.T, m module.Version) string {
	t.Helper()
	proxy := t.TempDir()
	root := filepath.Join("..", "..")
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	versions := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
	if err := os.MkdirAll(versions, 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(versions, m.Version+".info"), `{"Version":"`+m.Version+`"}`)
	writeFile(t, filepath.Join(versions, m.Version+".mod"), string(gomod))
	writeFile(t, filepath.Join(versions, "list"), m.Version+"\n")
	archive, err := os.Create(filepath.Join(versions, m.Version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	if err := zip.CreateFromDir(archive, m, root); err != nil {
		t.Fatal(err)
	}
	return proxy
}

func goOutput(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
