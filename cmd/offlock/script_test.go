package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/offlock/offlock/internal/modtree"
	"github.com/offlock/offlock/internal/modtree/modtreetest"
	"github.com/offlock/offlock/patches"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"offlock": main})
}

// TestScripts runs the command as a user does. Scripts that need upstream's sources begin with a condition on -short.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		Setup:               setupScript,
		Condition:           scriptCondition,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exitcode":  cmdExitcode,
			"service":   cmdService,
			"upstream":  cmdUpstream,
			"madeup":    cmdMadeUp,
			"snapshot":  cmdSnapshot,
			"unchanged": cmdUnchanged,
			"crlf":      cmdCRLF,
			"edit":      cmdEdit,
			"append":    cmdAppend,
		},
	})
}

// setupScript gives scripts the module and build caches of the user who runs the tests: a script has a home of its own.
func setupScript(env *testscript.Env) error {
	out, err := exec.Command("go", "env", "-json").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	var goenv map[string]string
	if err := json.Unmarshal(out, &goenv); err != nil {
		return err
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GONOSUMDB", "GONOPROXY", "GOSUMDB", "GOTOOLCHAIN"} {
		env.Setenv(name, goenv[name])
	}
	env.Setenv("GOFLAGS", "-buildvcs=false")
	env.Setenv("GOENV", "off")
	env.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("GIT_CEILING_DIRECTORIES", env.WorkDir)
	return nil
}

// scriptCondition adds [root]: file permissions do not bind that user.
func scriptCondition(cond string) (bool, error) {
	if cond == "root" {
		return os.Geteuid() == 0, nil
	}
	return false, fmt.Errorf("unknown condition %q", cond)
}

// exitcode CODE COMMAND ARGS... runs a command that must end with this exit code; stdout and stderr look at its output.
func cmdExitcode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exitcode CODE COMMAND ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%v ended with %d, want %d", args[1:], got, want)
	}
}

// The smallest module that exports an event, on the two releases.
const (
	serviceMod = `module example.com/svc

go %s

require github.com/thomaspoignant/go-feature-flag %s

require (
	github.com/blang/semver v3.5.1+incompatible // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/thomaspoignant/go-feature-flag/modules/core %s // indirect
)
`
	serviceSum = `github.com/blang/semver v3.5.1+incompatible h1:cQNTCjp13qL8KC3Nbxr/y2Bqb63oX6wdnnjpJbkM4JQ=
github.com/blang/semver v3.5.1+incompatible/go.mod h1:kRBLl5iJ+tD4TcOOxsy/0fnwebNt5EWlYSAyrTnjyyk=
github.com/google/uuid v1.6.0 h1:NIvaJDMOsjHA8n1jAhLSgzrAzy1Hgr+hNrb57e+94F0=
github.com/google/uuid v1.6.0/go.mod h1:TIyPZe4MgqvfeYDBFedMoGGpEw/LqOeaOT+nhxU+yHo=
`
	serviceMain = `// Command svc does nothing but link package exporter.
package main

import (
	"fmt"

	"github.com/thomaspoignant/go-feature-flag/exporter"
)

func main() { fmt.Println(exporter.FeatureEvent{Key: "flag"}.Key) }
`
)

var releases = map[string]struct{ golang, core, sums string }{
	"v1.52.1": {"1.25.9", "v0.6.1", `github.com/thomaspoignant/go-feature-flag v1.52.1 h1:bafS0vvwmoqigcSXjrqBhTJaLX2xeVe3XThi/ySMg2A=
github.com/thomaspoignant/go-feature-flag v1.52.1/go.mod h1:W5W1B9KjhOqeC8iIP4n5Cr7ph6Cwk/LVXCBW/QzCWV4=
github.com/thomaspoignant/go-feature-flag/modules/core v0.6.1 h1:9+SSjY/i4EXgNlGHqiNYXjPYB4q7SwWROvCtVwPvv2w=
github.com/thomaspoignant/go-feature-flag/modules/core v0.6.1/go.mod h1:9Ps6MAWMG/SfwOufGVoX88y+SMk+b1Uhwn5txYusVF0=
`},
	"v1.55.2": {"1.26.6", "v0.7.2", `github.com/thomaspoignant/go-feature-flag v1.55.2 h1:jxTysxrNghTGa/k7aotrCr73WHc51pyOVTxT3mGDZE0=
github.com/thomaspoignant/go-feature-flag v1.55.2/go.mod h1:Y/87MD7MOOLmvR+GCk+xCO7EyoAkNKFvFXJJ3Yxl6Lg=
github.com/thomaspoignant/go-feature-flag/modules/core v0.7.2 h1:XHESq+gDYiQxBsw7JWGKXS7N2Pbnz91PcrIVb23s2Ss=
github.com/thomaspoignant/go-feature-flag/modules/core v0.7.2/go.mod h1:QvY8vxq4KXB3ss9np6nOSk1cOX6b7l/96cBzxpzg1Zk=
`},
}

// service DIR VERSION writes a module that requires go-feature-flag, with a complete go.sum.
func cmdService(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: service DIR VERSION")
	}
	ts.Check(writeService(ts.MkAbs(args[0]), args[1]))
}

func writeService(dir, version string) error {
	release, ok := releases[version]
	if !ok {
		return fmt.Errorf("there is no go.sum here for go-feature-flag %s", version)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"go.mod":  fmt.Sprintf(serviceMod, release.golang, version, release.core),
		"go.sum":  serviceSum + release.sums,
		"main.go": serviceMain,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// recordedBase is upstream's release as the module cache has it, fetched once for all scripts.
func recordedBase(ts *testscript.TestScript, version string) *modtree.Base {
	fetched, _ := recordedBases.LoadOrStore(version, sync.OnceValues(func() (*modtree.Base, error) {
		series, err := patches.Embedded()
		if err != nil {
			return nil, err
		}
		recorded, ok := series.Base(version)
		if !ok {
			return nil, fmt.Errorf("%s is not a recorded base", version)
		}
		return modtree.Fetch(context.Background(), version, modtree.Hashes{Sum: recorded.Sum, GoModSum: recorded.GoModSum})
	}))
	base, err := fetched.(func() (*modtree.Base, error))()
	ts.Check(err)
	return base
}

var recordedBases sync.Map // version to the function that fetches it

// upstream DIR VERSION writes what a fork keeps of a release, unchanged.
func cmdUpstream(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: upstream DIR VERSION")
	}
	tree, err := modtree.NewTree(recordedBase(ts, args[1]), nil, nil)
	ts.Check(err)
	for _, name := range tree.Paths() {
		content, _ := tree.Content(name)
		path := filepath.Join(ts.MkAbs(args[0]), filepath.FromSlash(name))
		ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
		ts.Check(os.WriteFile(path, content, 0o644))
	}
}

// madeup VERSION OF [FILE=CONTENT-FILE] serves a release that nobody published: OF, with a file exchanged. It takes a
// module cache of its own, so that the user's never sees it, and puts the release's go.sum lines into madeup.sum.
func cmdMadeUp(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: madeup VERSION OF [FILE=CONTENT-FILE]")
	}
	edits := map[string][]byte{}
	for _, arg := range args[2:] {
		name, file, _ := bytes.Cut([]byte(arg), []byte("="))
		edits[string(name)] = []byte(ts.ReadFile(string(file)))
	}
	root := ts.MkAbs("madeup")
	hashes, err := modtreetest.WriteProxy(root, recordedBase(ts, args[1]), args[0], edits)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("madeup.sum"), []byte(modtreetest.GoSumLines(args[0], hashes)), 0o644))
	cached := modtreetest.URL(filepath.Join(ts.Getenv("GOMODCACHE"), "cache", "download"))
	ts.Setenv("GOPROXY", modtreetest.URL(root)+","+cached+","+ts.Getenv("GOPROXY"))
	ts.Setenv("GOMODCACHE", ts.MkAbs("modcache"))
	ts.Setenv("GONOSUMDB", modtree.UpstreamPath)
	ts.Setenv("GOFLAGS", ts.Getenv("GOFLAGS")+" -modcacherw")
}

// tree is every file and folder below a folder, git's own files aside, with its content.
func tree(dir string) (map[string]string, error) {
	found := map[string]string{}
	return found, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			found[path] = "folder"
			return nil
		}
		data, err := os.ReadFile(path)
		found[path] = string(data)
		return err
	})
}

// snapshots holds what snapshot saw: folder (each script has its own) and name to its tree.
var snapshots sync.Map

// snapshot DIR [NAME] remembers a folder as it is; unchanged DIR [NAME] fails if it is not that any more.
func cmdSnapshot(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: snapshot DIR [NAME]")
	}
	dir := ts.MkAbs(args[0])
	found, err := tree(dir)
	ts.Check(err)
	snapshots.Store(snapshotName(dir, args), found)
}

func snapshotName(dir string, args []string) string {
	return dir + "\x00" + strings.Join(args[1:], " ")
}

func cmdUnchanged(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 {
		ts.Fatalf("usage: unchanged DIR [NAME]")
	}
	dir := ts.MkAbs(args[0])
	stored, ok := snapshots.Load(snapshotName(dir, args))
	if !ok {
		ts.Fatalf("there is no snapshot of %s", args[0])
	}
	before := stored.(map[string]string)
	var differ []string
	after, err := tree(dir)
	ts.Check(err)
	for path, content := range after {
		if old, ok := before[path]; !ok || old != content {
			differ = append(differ, path)
		}
	}
	for path := range before {
		if _, ok := after[path]; !ok {
			differ = append(differ, path)
		}
	}
	slices.Sort(differ)
	if neg == (len(differ) == 0) {
		ts.Fatalf("%d files or folders changed since the snapshot, such as %v", len(differ), differ[:min(5, len(differ))])
	}
}

// crlf PATHS... turns the line ends of text files, and of those in folders, into those of Windows.
func cmdCRLF(ts *testscript.TestScript, neg bool, args []string) {
	for _, arg := range args {
		ts.Check(filepath.WalkDir(ts.MkAbs(arg), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil || bytes.IndexByte(data, 0) >= 0 {
				return err
			}
			data = bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
			return os.WriteFile(path, data, 0o644)
		}))
	}
}

// edit FILE OLD NEW replaces a text that must be there.
func cmdEdit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	data := []byte(ts.ReadFile(args[0]))
	if !bytes.Contains(data, []byte(args[1])) {
		ts.Fatalf("%s does not contain %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.ReplaceAll(data, []byte(args[1]), []byte(args[2])), 0o644))
}

// append FILE OTHER adds the content of another file.
func cmdAppend(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: append FILE OTHER")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(ts.ReadFile(args[0])+ts.ReadFile(args[1])), 0o644))
}
