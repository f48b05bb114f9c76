package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func author(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// tree writes a small module to edit.
func tree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := put(dir, "till/till.go", []byte("package till\n\nfunc open() {\n\tprintln(1)\n\tprintln(1)\n}\n")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestFingerprint(t *testing.T) {
	dir := tree(t)
	code, stdout, stderr := author(t, "fingerprint", "-version", "v1.0.0", "-dir", dir, "till/till.go", "open")
	if code != 0 || !strings.Contains(stdout, "till:open  line 3") || !strings.Contains(stdout, "#2     5  println(1)") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"fingerprint", "-version", "v1.0.0", "-dir", dir, "till/till.go", "shut"}, 1, "till/till.go declares no shut"},
		{[]string{"fingerprint", "-version", "v1.0.0", "-dir", dir, "till/none.go"}, 1, "till/none.go"},
		{[]string{"fingerprint", "-version", "v1.0.0", "-dir", dir}, 2, "name a file of upstream"},
		{[]string{"apply", "-dir", dir, "x"}, 2, "unexpected argument x"},
		{[]string{"apply", "-version", "v1.0.0", "-dir", dir, "-only", "9999"}, 2, "there is no patch"},
		{[]string{"apply", "-version", "v1.0.0", "-dir", dir, "-only", "0002", "-upto", "0002"}, 2, "exclude each other"},
		{[]string{"apply", "-version", "v1.0.0", "-dir", dir, "-only", "0002"}, 1, "0002-keep-unread: gone"},
		{[]string{"apply", "-nonsense"}, 2, "flag provided but not defined"},
		{[]string{"record"}, 2, "name the releases"},
		{[]string{"nonsense"}, 2, "use: author"},
		{nil, 2, "use: author"},
	} {
		code, _, stderr := author(t, c.args...)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit %d, %q; want %d, %q", c.args, code, stderr, c.code, c.want)
		}
	}
}

func TestHelp(t *testing.T) {
	for name := range commands {
		if code, stdout, stderr := author(t, name, "-h"); code != 0 || !strings.Contains(stdout, "Usage of "+name) || stderr != "" {
			t.Errorf("%s -h: exit %d\n%s%s", name, code, stdout, stderr)
		}
	}
}

// Write replaces only what it wrote itself.
func TestWrite(t *testing.T) {
	src, dst := os.DirFS(tree(t)), t.TempDir()
	for _, changes := range []map[string][]byte{{"a/b.txt": []byte("b")}, {"till/till.go": nil}} {
		if err := write(src, changes, filepath.Join(dst, "tree")); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]bool{"a/b.txt": false, "till/till.go": false, stamp: true} {
		if _, err := os.Stat(filepath.Join(dst, "tree", name)); (err == nil) != want {
			t.Errorf("%s: %v, want it to exist: %t", name, err, want)
		}
	}
	if err := write(src, nil, dst); err == nil || !strings.Contains(err.Error(), "was not written by this command") {
		t.Errorf("writing over a strange folder: %v", err)
	}
}

// The commands of the guide work as they stand.
func TestGuide(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: upstream's sources would have to be downloaded")
	}
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "patches.md"))
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(t.TempDir(), "root")
	if err := os.MkdirAll(filepath.Join(root, "patches", "bases"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	n := 0
	for line := range strings.Lines(string(guide)) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "go run ./patches/author ")
		if !ok {
			continue
		}
		n++
		if code, stdout, stderr := author(t, strings.Fields(command)...); code != 0 || stdout == "" {
			t.Errorf("%s: exit %d\n%s%s", command, code, stdout, stderr)
		}
	}
	if n < 4 {
		t.Errorf("only %d commands are in the guide", n)
	}
	if _, err := os.Stat(filepath.Join(root, "..", "patched", "exporter")); err != nil {
		t.Error(err)
	}
}
