package patches

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// versions are the releases that the series is recorded on.
var versions = []string{"v1.52.1", "v1.55.2"}

type download struct{ Dir, Error string }

// upstream opens a release's tree in the module cache.
func upstream(t *testing.T, version string) fs.FS {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: upstream's sources would have to be downloaded")
	}
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", "github.com/thomaspoignant/go-feature-flag@"+version)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	var d download
	if jsonErr := json.Unmarshal(out, &d); err != nil || jsonErr != nil {
		t.Fatalf("downloading %s: %v: %s", version, err, d.Error)
	}
	return os.DirFS(d.Dir)
}

// eachSource calls f for every Go file of a release.
func eachSource(t *testing.T, tree fs.FS, f func(s *source)) {
	t.Helper()
	count := 0
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		s, err := parseSource(name, text)
		if err != nil {
			return err
		}
		count++
		f(s)
		return nil
	})
	if err != nil || count < 100 {
		t.Fatalf("%d Go files, error %v", count, err)
	}
}

// A patch that repeats a declaration of upstream word for word makes no difference, with or without its parentheses.
func TestUpstreamIdentity(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			eachSource(t, upstream(t, version), func(s *source) {
				for _, u := range s.units {
					text := ignoreTag + "\n\npackage " + s.file.Name.Name + "\n\n" + string(u.text(false)) + "\n"
					f, err := parsePatchFile(s.path, "", []byte(text))
					if err != nil {
						t.Errorf("%s: %s: %v", s.path, u, err)
						continue
					}
					if ours := f.src.units[0]; ours.fingerprint() != u.fingerprint() {
						t.Errorf("%s: %s: another fingerprint", s.path, u)
					}
					e := &edit{name: u.String(), unit: f.src.units[0]}
					sp, p := e.replaceDecl(u)
					if p != unchanged && !sameAfterFormat(s, sp) {
						t.Errorf("%s: %s: changes the text", s.path, u)
					}
				}
			})
		})
	}
}

// sameAfterFormat tells whether a splice only shifts what gofmt puts back, as the indentation in a group.
func sameAfterFormat(s *source, sp splice) bool {
	text, _, err := splices(s.text, []splice{sp})
	if err != nil {
		return false
	}
	text, err = format.Source(text)
	return err == nil && bytes.Equal(text, s.text)
}

const probe = "\t_ = \"probe\"\n"

var probes = regexp.MustCompile(`(?m)^\t+_ = "probe"\n`)

// A line in front of every function of every file goes where it should and leaves every other byte alone.
func TestUpstreamProbe(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			probed := 0
			eachSource(t, upstream(t, version), func(s *source) {
				var patch strings.Builder
				fmt.Fprintf(&patch, "%s\n\npackage %s\n", ignoreTag, s.file.Name.Name)
				n := 0
				for _, u := range s.units {
					body := u.body()
					if body == nil || len(body.List) == 0 || s.line(s.offset(body.Lbrace)) == s.line(s.offset(body.Rbrace)) ||
						u.names[0] == "init" || len(s.find(u.names[0])) > 1 {
						continue
					}
					brace := s.offset(body.Lbrace) + 1
					fmt.Fprintf(&patch, "\n%s\n%s%s\n", s.text[u.pos:brace], probe, bytes.TrimPrefix(s.text[brace:u.end], []byte("\n")))
					n++
				}
				if n == 0 {
					return
				}
				probed += n
				checkProbe(t, s, patch.String())
			})
			if t.Logf("%d functions", probed); probed < 500 {
				t.Errorf("only %d functions were probed", probed)
			}
		})
	}
}

// So does a line before statements, and one behind them.
func TestUpstreamProbeStatements(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			probed := 0
			eachSource(t, upstream(t, version), func(s *source) {
				var patch strings.Builder
				fmt.Fprintf(&patch, "%s\n\npackage %s\n", ignoreTag, s.file.Name.Name)
				n := 0
				for _, u := range s.units {
					if u.body() == nil || u.names[0] == "init" || len(s.find(u.names[0])) > 1 {
						continue
					}
					for i, st := range s.listStatements(u) {
						verb := []string{"before", "after"}[i%2]
						// One in 23, since each is searched for among all.
						if i%23 != 3 || s.statements(u.body())[i].start != ownLine(s, s.statements(u.body())[i]) {
							continue
						}
						fmt.Fprintf(&patch, "\n//offlock:%s %s %s\nfunc _() {\n%s}\n", verb, u.names[0], st.Fingerprint, probe)
						n++
					}
				}
				if n > 0 {
					probed += n
					checkProbe(t, s, patch.String())
				}
			})
			if t.Logf("%d statements", probed); probed < 500 {
				t.Errorf("only %d statements were probed", probed)
			}
		})
	}
}

// ownLine is where the first code of a statement's line begins, or -1 if the statement shares its last line.
func ownLine(s *source, st stmt) int {
	start := lineStart(s.text, st.start)
	rest, _, _ := bytes.Cut(s.text[s.tail(st.end):], []byte("\n"))
	if len(bytes.TrimSpace(rest)) > 0 {
		return -1
	}
	return start + len(s.text[start:]) - len(bytes.TrimLeft(s.text[start:], "\t"))
}

func checkProbe(t *testing.T, s *source, patch string) {
	t.Helper()
	f, err := parsePatchFile(s.path, "", []byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	tree := newTree(fstest.MapFS{s.path: {Data: s.text}})
	a := &application{patch: &Patch{Name: "0001-probe"}, tree: tree}
	changes, err := a.run([]*patchFile{f})
	if err != nil {
		t.Fatal(err)
	}
	got := probes.ReplaceAll(changes[0].After, nil)
	if !bytes.Equal(got, s.text) {
		t.Errorf("%s (-want +got):\n%s", s.path, cmp.Diff(string(s.text), string(got)))
	}
}

// Every import of upstream's files is seen to be used.
func TestUpstreamImportsUsed(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			eachSource(t, upstream(t, version), func(s *source) {
				found := usedPackages(s)
				for _, spec := range s.file.Imports {
					if spec.Name != nil && (spec.Name.Name == "_" || spec.Name.Name == ".") {
						continue
					}
					if name := localName(spec); !found[name] {
						t.Errorf("%s: %s seems unused", s.path, importKey(spec))
					}
				}
			})
		})
	}
}

// The fingerprint of a declaration and of each statement depends on the code alone: not on comments, blank lines and wrapping.
func TestUpstreamFingerprintsStable(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			eachSource(t, upstream(t, version), func(s *source) {
				for _, u := range s.units {
					for name, text := range map[string]string{"rewrapped": rewrap(u.code(), "\n"), "commented": rewrap(u.code(), "/* x */ // y\n")} {
						if fingerprint(token.ILLEGAL, []byte(text)) != fingerprint(token.ILLEGAL, u.code()) {
							t.Errorf("%s: %s: another fingerprint when %s", s.path, u, name)
						}
					}
				}
				for i, st := range s.statements(s.file) {
					if i%5 != 0 { // they nest, so that all of them would be most of the file many times over
						continue
					}
					code := s.text[st.start:st.end]
					if fingerprint(token.ILLEGAL, []byte(rewrap(code, "\n"))) != fingerprint(token.ILLEGAL, code) {
						t.Errorf("%s: line %d: another fingerprint when rewrapped", s.path, s.line(st.start))
					}
				}
			})
		})
	}
}

// rewrap puts a separator behind every token that a line may end after without ending a statement.
func rewrap(code []byte, separator string) string {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(code))
	s.Init(file, code, nil, 0)
	var out strings.Builder
	last := 0
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			out.Write(code[last:])
			return out.String()
		}
		if tok == token.SEMICOLON && literal == "\n" {
			continue
		}
		end := file.Offset(pos) + len(tok.String())
		if tok.IsLiteral() {
			continue
		}
		switch tok {
		case token.INC, token.DEC, token.RPAREN, token.RBRACK, token.RBRACE,
			token.BREAK, token.CONTINUE, token.FALLTHROUGH, token.RETURN:
			continue
		}
		out.Write(code[last:end])
		out.WriteString(separator)
		last = end
	}
}
