package modtreetest

import (
	"os"
	"path/filepath"

	"github.com/offlock/offlock/internal/modtree"
	"golang.org/x/mod/sumdb/dirhash"
)

// smallModule has one of each kind of file that a fork keeps or leaves behind.
var smallModule = map[string]string{
	"go.mod":                         "module " + modtree.UpstreamPath + "\n\ngo 1.21\n",
	"LICENSE":                        "Anyone may use this.\n",
	"README.md":                      "# A small module\n",
	"flag.go":                        "// Package flag is small.\npackage flag\n",
	".github/workflows/ci.yml":       "on: push\n",
	"website/docs/index.md":          "# Docs\n",
	"examples/demo/main.go":          "package main\n\nfunc main() {}\n",
	"exporter/exporter.go":           "// Package exporter is small too.\npackage exporter\n\n// Name is its name.\nconst Name = \"small\"\n",
	"exporter/exporter_test.go":      "package exporter\n\nconst golden = \"testdata/golden.txt\"\n",
	"exporter/README.md":             "# Exporter\n",
	"exporter/testdata/golden.txt":   "one\ntwo\n",
	"cmd/tool/main.go":               "package main\n\nfunc main() {}\n",
	"openfeature/provider/index.ts":  "export {}\n",
	"openfeature/testdata/case.json": "{}\n",
}

// SmallBase writes a tiny module with upstream's path into dir, so that no download is needed, and returns it as a base.
// It builds, has a package exporter, and holds some files that a fork leaves behind.
func SmallBase(dir, version string) (*modtree.Base, error) {
	for name, content := range smallModule {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return nil, err
		}
	}
	base := &modtree.Base{Version: version, Dir: dir, Commit: "0123456789abcdef0123456789abcdef01234567"}
	var err error
	if base.Sum, err = dirhash.HashDir(dir, modtree.UpstreamPath+"@"+version, dirhash.Hash1); err != nil {
		return nil, err
	}
	base.GoModSum, err = goModHash([]byte(smallModule["go.mod"]))
	return base, err
}
