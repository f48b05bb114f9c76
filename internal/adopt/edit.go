package adopt

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/offlock/offlock/internal/modtree"
)

// replaceLine is the one line that adoption adds. target is a relative path that starts with ./ or ../.
func replaceLine(target string) string {
	return "replace " + modtree.UpstreamPath + " => " + modfile.AutoQuote(target)
}

// addReplace adds the line at the end of a go.mod or go.work, behind a blank line: that is how the go command lays such
// a file out, so that it has no reason to touch it again. Line ends are the file's own, and a file without a final line
// end gets none.
func addReplace(text []byte, target string) []byte {
	eol := "\n"
	if crlf(text) {
		eol = "\r\n"
	}
	body, final := string(text), eol
	if body != "" && !strings.HasSuffix(body, "\n") {
		body, final = body+eol, ""
	}
	if lastLine(body) != "" {
		body += eol
	}
	return []byte(body + replaceLine(target) + final)
}

// crlf tells whether the lines of a file end as on Windows; its first line decides.
func crlf(text []byte) bool {
	i := bytes.IndexByte(text, '\n')
	return i > 0 && text[i-1] == '\r'
}

// lastLine is the last line of a text that ends with a line end, without surrounding space.
func lastLine(text string) string {
	text = strings.TrimSuffix(text, "\n")
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// replacement is one replace directive for go-feature-flag.
type replacement struct {
	File    string // where it is written
	Line    int    // 1-based
	Version string // of go-feature-flag, if it replaces that one alone
	Target  string // path of the replacement as written
	At      string // its version, empty for a folder

	first, last int // lines to remove with it: its own, or a whole block that holds nothing else
}

func (r replacement) String() string {
	s := modtree.UpstreamPath
	if r.Version != "" {
		s += " " + r.Version
	}
	s += " => " + r.Target
	if r.At != "" {
		s += " " + r.At
	}
	return s
}

// dir is the folder that the directive names; empty if it names a module version.
func (r replacement) dir() string {
	if r.At != "" {
		return ""
	}
	target := filepath.FromSlash(r.Target)
	if filepath.IsAbs(target) {
		return target
	}
	return filepath.Join(filepath.Dir(r.File), target)
}

// replacementsIn lists the directives for go-feature-flag in a go.mod or go.work, in blocks and out of them.
func replacementsIn(file string, text []byte) ([]replacement, error) {
	var (
		syntax   *modfile.FileSyntax
		replaces []*modfile.Replace
	)
	if filepath.Ext(file) == ".work" {
		f, err := modfile.ParseWork(file, text, nil)
		if err != nil {
			return nil, parseError(err)
		}
		syntax, replaces = f.Syntax, f.Replace
	} else {
		f, err := modfile.Parse(file, text, nil)
		if err != nil {
			return nil, parseError(err)
		}
		syntax, replaces = f.Syntax, f.Replace
	}
	var found []replacement
	for _, r := range replaces {
		if r.Old.Path != modtree.UpstreamPath {
			continue
		}
		at := replacement{
			File: file, Line: r.Syntax.Start.Line, Version: r.Old.Version, Target: r.New.Path, At: r.New.Version,
			first: r.Syntax.Start.Line, last: r.Syntax.End.Line,
		}
		for _, stmt := range syntax.Stmt {
			block, ok := stmt.(*modfile.LineBlock)
			if ok && len(block.Line) == 1 && block.Line[0] == r.Syntax && len(block.RParen.Before) == 0 {
				at.first, at.last = block.Start.Line, block.RParen.Pos.Line
			}
		}
		found = append(found, at)
	}
	return found, nil
}

// dropReplace removes the directives that point at dir, wherever somebody has moved them, and the blank line that this
// leaves doubled. Every other byte stays.
func dropReplace(file string, text []byte, dir string) ([]byte, error) {
	found, err := replacementsIn(file, text)
	if err != nil {
		return nil, err
	}
	lines := strings.SplitAfter(string(text), "\n")
	blank := func(i int) bool { return i >= len(lines) || strings.TrimSpace(lines[i]) == "" }
	for _, r := range slices.Backward(found) {
		if target := r.dir(); target == "" || !sameFile(target, dir) {
			continue
		}
		first, last := r.first-1, r.last
		if first > 0 && blank(first-1) && blank(last) {
			first--
		}
		lines = slices.Delete(lines, first, last)
	}
	return []byte(strings.Join(lines, "")), nil
}

// parseError keeps the first lines of what may be a line for every byte of a binary file.
func parseError(err error) error {
	const most = 5
	list, ok := err.(modfile.ErrorList)
	if !ok || len(list) <= most {
		return err
	}
	return fmt.Errorf("%w\n(and %d more)", list[:most], len(list)-most)
}
