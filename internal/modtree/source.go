package modtree

import (
	"go/scanner"
	"go/token"
	"strconv"
	"strings"
)

// sourceFacts are what pruning asks of a Go file. The token stream is enough, and is read even where a file would not
// parse.
type sourceFacts struct {
	pkg     string   // name in the package clause
	embeds  []string // go:embed patterns
	strings []string // string literals that could be a relative path
}

func scanSource(content []byte) *sourceFacts {
	facts := new(sourceFacts)
	var s scanner.Scanner
	fset := token.NewFileSet()
	ignoreErrors := func(token.Position, string) {}
	s.Init(fset.AddFile("", -1, len(content)), content, ignoreErrors, scanner.ScanComments)
	for afterPackage := false; ; {
		_, tok, text := s.Scan()
		switch tok {
		case token.EOF:
			return facts
		case token.COMMENT:
			if patterns, ok := strings.CutPrefix(text, "//go:embed "); ok {
				facts.embeds = append(facts.embeds, embedPatterns(patterns)...)
			}
			continue
		case token.IDENT:
			if afterPackage && facts.pkg == "" {
				facts.pkg = text
			}
		case token.STRING:
			if value, err := strconv.Unquote(text); err == nil && couldBePath(value) {
				facts.strings = append(facts.strings, value)
			}
		}
		afterPackage = tok == token.PACKAGE
	}
}

func couldBePath(s string) bool {
	return s != "" && len(s) < 256 && !strings.HasPrefix(s, "/") && !strings.ContainsAny(s, "\n\x00")
}

// embedPatterns splits the patterns of a go:embed line, which may be quoted.
func embedPatterns(line string) []string {
	var patterns []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if quoted, err := strconv.QuotedPrefix(line); err == nil {
			if value, err := strconv.Unquote(quoted); err == nil {
				patterns = append(patterns, value)
			}
			line = line[len(quoted):]
			continue
		}
		end := strings.IndexAny(line, " \t\r")
		if end < 0 {
			end = len(line)
		}
		patterns = append(patterns, line[:end])
		line = line[end:]
	}
	return patterns
}
