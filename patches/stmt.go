package patches

import (
	"bytes"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// setStmt reads "0a1b2c3d4e5f" or "0a1b2c3d4e5f#2".
func (e *edit) setStmt(word string) bool {
	hash, nth, numbered := strings.Cut(word, "#")
	if numbered {
		n, err := strconv.Atoi(nth)
		if err != nil || n < 1 {
			return false
		}
		e.nth = n
	}
	e.stmt = hash
	return len(hash) == digits && strings.Trim(hash, "0123456789abcdef") == ""
}

// numbered is how a directive names the nth of several equal statements.
func numbered(hash string, nth int) string { return hash + "#" + strconv.Itoa(nth) }

// stmt is one statement of a function that stands in a list: a body, a block, or a case.
type stmt struct {
	node       ast.Stmt
	list       []ast.Stmt // the list that it stands in
	index      int
	depth      int // 0 in the function's own body
	start, end int
}

// statements returns every such statement below n, at any depth, function literals included, in order.
func (s *source) statements(n ast.Node) []stmt {
	var found []stmt
	var walk func(n ast.Node, depth int)
	walk = func(n ast.Node, depth int) {
		ast.Inspect(n, func(child ast.Node) bool {
			var list []ast.Stmt
			switch child := child.(type) {
			case *ast.BlockStmt:
				list = child.List
			case *ast.CaseClause:
				list = child.Body
				for _, e := range child.List {
					walk(e, depth)
				}
			case *ast.CommClause:
				list = child.Body
				if child.Comm != nil {
					walk(child.Comm, depth)
				}
			default:
				return true
			}
			for i, st := range list {
				switch st.(type) {
				case *ast.CaseClause, *ast.CommClause:
					walk(st, depth)
					continue
				}
				found = append(found, stmt{st, list, i, depth, s.offset(st.Pos()), s.offset(st.End())})
				walk(st, depth+1)
			}
			return false
		})
	}
	walk(n, 0)
	return found
}

func (s *source) stmtFingerprint(st ast.Stmt) string {
	return fingerprint(token.ILLEGAL, s.text[s.offset(st.Pos()):s.offset(st.End())])
}

// pick finds the statement that the edit addresses.
func (e *edit) pick(u *unit) (stmt, *problem) {
	if u.body() == nil {
		return stmt{}, &problem{Gone, "it has no body any more", "rewrite the edit for what upstream has now"}
	}
	var matches []stmt
	for _, st := range u.src.statements(u.body()) {
		if u.src.stmtFingerprint(st.node) == e.stmt {
			matches = append(matches, st)
		}
	}
	switch {
	case len(matches) == 0:
		return stmt{}, &problem{Gone, "no statement has the fingerprint " + e.stmt,
			"list the statements with \"go run ./patches/author fingerprint\", or leave out fewer of the patches before it"}
	case e.nth > len(matches):
		return stmt{}, &problem{Gone, "only " + strconv.Itoa(len(matches)) + " statements have the fingerprint " + e.stmt,
			"pick one of them with " + e.stmt + "#N"}
	case e.nth > 0:
		return matches[e.nth-1], nil
	case len(matches) > 1:
		return stmt{}, &problem{Ambiguous, strconv.Itoa(len(matches)) + " statements have the fingerprint " + e.stmt,
			"pick one of them with " + e.stmt + "#N"}
	}
	return matches[0], nil
}

// spliceStmt turns a statement edit into a splice. A comment directly above a statement, and one behind it, belong to it.
func (e *edit) spliceStmt(u *unit) (splice, *problem) {
	st, problem := e.pick(u)
	if problem != nil {
		return splice{}, problem
	}
	text := u.src.text
	above, tail := u.src.above(st.start), u.src.tail(st.end)
	switch e.op {
	case beforeStmt:
		if start := lineStart(text, above); len(bytes.TrimSpace(text[start:above])) == 0 {
			return splice{start, start, append(bytes.Clone(e.text), '\n'), e}, nil
		}
		return splice{above, above, append(bytes.Clone(e.text), '\n'), e}, nil
	case afterStmt:
		return splice{tail, tail, append([]byte{'\n'}, e.text...), e}, nil
	case deleteStmt:
		return splice{lead(text, above), tail, nil, e}, nil
	}
	if fingerprint(token.ILLEGAL, e.text) == e.stmt {
		return splice{}, unchanged
	}
	ours := bytes.TrimLeft(e.text, " \t\n")
	start := st.start
	if bytes.HasPrefix(ours, []byte("//")) || bytes.HasPrefix(ours, []byte("/*")) {
		start = above
	}
	return splice{start, tail, ours, e}, nil
}

// above returns where the comment directly above a statement begins, or start. A comment behind the statement before is not
// above this one.
func (s *source) above(start int) int {
	for _, g := range s.file.Comments {
		from, to := s.offset(g.Pos()), s.offset(g.End())
		if to > start {
			break
		}
		if gap := s.text[to:start]; len(bytes.TrimSpace(gap)) == 0 && bytes.Count(gap, []byte("\n")) == 1 &&
			len(bytes.TrimSpace(s.text[lineStart(s.text, from):from])) == 0 {
			return from
		}
	}
	return start
}

// inside returns what is between two braces of a patch file, without the line ends at both sides.
func inside(s *source, open, close token.Pos) []byte {
	text := s.text[s.offset(open)+1 : s.offset(close)]
	text = bytes.TrimRight(text, " \t\n")
	for {
		line, rest, ok := bytes.Cut(text, []byte("\n"))
		if !ok || len(bytes.TrimSpace(line)) > 0 {
			return bytes.Clone(text)
		}
		text = rest
	}
}
