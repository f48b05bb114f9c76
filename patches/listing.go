package patches

import (
	"bytes"
	"go/token"
)

// Declaration is one declaration of a Go file with its address and fingerprint, for whoever writes a patch.
type Declaration struct {
	Address     string // "exporter:managerImpl.AddEvent"
	Name        string // the second half, as directives take it
	Line        int
	Fingerprint string
	Statements  []Statement // of a function, at any depth, in order
}

// Statement is one statement that a directive can name.
type Statement struct {
	Fingerprint string // with "#N" if the function has several that are equal
	Line        int
	Depth       int    // 0 in the body of the function
	Text        string // its first line
}

// List returns the declarations of a Go file at upstream's path. The error is the parser's.
func List(path string, text []byte) ([]Declaration, error) {
	s, err := parseSource(path, text)
	if err != nil {
		return nil, err
	}
	var list []Declaration
	for _, u := range s.units {
		d := Declaration{s.scope() + ":" + u.String(), u.String(), s.line(u.pos), u.fingerprint(), nil}
		if u.kind == token.FUNC && u.body() != nil {
			d.Statements = s.listStatements(u)
		}
		list = append(list, d)
	}
	return list, nil
}

func (s *source) listStatements(u *unit) []Statement {
	var list []Statement
	count := map[string]int{}
	all := s.statements(u.body())
	for _, st := range all {
		count[s.stmtFingerprint(st.node)]++
	}
	seen := map[string]int{}
	for _, st := range all {
		hash := s.stmtFingerprint(st.node)
		seen[hash]++
		first, _, _ := bytes.Cut(s.text[st.start:st.end], []byte("\n"))
		name := hash
		if count[hash] > 1 {
			name = numbered(hash, seen[hash])
		}
		list = append(list, Statement{name, s.line(st.start), st.depth, string(first)})
	}
	return list
}
