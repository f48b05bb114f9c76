package modtreetest_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/offlock/offlock/internal/modtree"
	"github.com/offlock/offlock/internal/modtree/modtreetest"
)

// A service that requires a made-up version, with its go.sum lines, builds from the file tree alone, the checksums checked by
// the go command.
func TestServedVersionBuilds(t *testing.T) {
	const older, newer = "v1.55.3", "v1.56.0"
	base, err := modtreetest.SmallBase(t.TempDir(), "v1.55.2")
	if err != nil {
		t.Fatal(err)
	}
	proxy := filepath.Join(t.TempDir(), "a proxy")
	edits := map[string][]byte{"exporter/exporter.go": []byte("package exporter\n\n// Name was edited.\nconst Name = \"edited\"\n")}
	if _, err := modtreetest.WriteProxy(proxy, base, older, nil); err != nil {
		t.Fatal(err)
	}
	sums, err := modtreetest.WriteProxy(proxy, base, newer, edits)
	if err != nil {
		t.Fatal(err)
	}

	service := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":  "module example.com/service\n\ngo 1.21\n\nrequire " + modtree.UpstreamPath + " " + newer + "\n",
		"go.sum":  modtreetest.GoSumLines(newer, sums),
		"main.go": "package main\n\nimport \"os\"\nimport \"" + modtree.UpstreamPath + "/exporter\"\n\nfunc main() { os.Stdout.WriteString(exporter.Name) }\n",
	} {
		if err := os.WriteFile(filepath.Join(service, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", ".")
	cmd.Dir = service
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-modcacherw", "GOMODCACHE="+t.TempDir(),
		"GOPROXY="+modtreetest.URL(proxy))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	printed, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	if diff := cmp.Diff("edited", string(printed)); diff != "" {
		t.Errorf("the program prints (-want +got):\n%s", diff)
	}
	list, err := os.ReadFile(filepath.Join(proxy, filepath.FromSlash(modtree.UpstreamPath), "@v", "list"))
	if err != nil || string(list) != older+"\n"+newer+"\n" {
		t.Errorf("list of versions: %q, %v", list, err)
	}
}

func TestWriteProxyRefusesBadVersion(t *testing.T) {
	base, err := modtreetest.SmallBase(t.TempDir(), "v1.55.2")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := modtreetest.WriteProxy(t.TempDir(), base, "v2.0.0", nil); err == nil {
		t.Error("a version that the module's path does not allow is no error")
	}
}
