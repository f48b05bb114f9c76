package patches

import (
	"bytes"
	"go/ast"
	"slices"
	"strings"
)

// problem is why an edit cannot be made.
type problem struct {
	state State
	text  string // what is the matter, without place
	next  string // what to do
}

var unchanged = &problem{Drifted, "the edit changes nothing: it reads the same already", "take it out of the patch"}

// docText is our doc comment without directives; "" if there is none.
func (u *unit) docText() string {
	var lines []string
	for _, g := range u.src.file.Comments {
		for _, c := range g.List {
			at := u.src.offset(c.Pos())
			if u.doc <= at && at < u.pos && !strings.HasPrefix(c.Text, "//offlock:") {
				lines = append(lines, c.Text)
			}
		}
	}
	for len(lines) > 0 && lines[len(lines)-1] == "//" { // the line that set the directive apart
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// codeText is the declaration as it reads inside or outside of parentheses.
func (u *unit) codeText(grouped bool) string {
	code := string(u.code())
	_, isSpec := u.node.(ast.Spec)
	switch {
	case u.group != nil && !grouped:
		return u.kind.String() + " " + code
	case u.group == nil && grouped && isSpec:
		return string(u.src.text[u.src.offset(u.node.Pos()):u.end])
	}
	return code
}

// behind is the comment behind the declaration, with the space before it.
func (u *unit) behind() string { return string(u.src.text[u.end:u.tail]) }

func (u *unit) text(grouped bool) []byte {
	return []byte(u.docText() + u.codeText(grouped) + u.behind())
}

// replaceDecl puts ours in the place of theirs. Comments that we do not have are kept.
func (e *edit) replaceDecl(theirs *unit) (splice, *problem) {
	ours := e.unit
	_, block := ours.node.(*ast.GenDecl)
	if theirs.group != nil && (theirs.kind != ours.kind || block) {
		return splice{}, &problem{Drifted, "it stands in a group of " + theirs.kind.String() + " declarations",
			"delete it there and add yours under another name"}
	}
	for _, name := range theirs.names {
		if !slices.Contains(ours.names, name) {
			return splice{}, &problem{Drifted, "it is declared together with " + name, "declare " + name + " with it"}
		}
	}
	s := splice{theirs.pos, theirs.end, nil, e}
	text := ours.docText()
	if text != "" {
		s.start = theirs.doc
	}
	text += ours.codeText(theirs.group != nil)
	if ours.tail > ours.end {
		s.end = theirs.tail
		text += ours.behind()
	}
	s.text = []byte(text)
	if bytes.Equal(s.text, theirs.src.text[s.start:s.end]) {
		return s, unchanged
	}
	return s, nil
}

// removeDecl takes a declaration out, with its comments and the blank lines before it.
func (e *edit) removeDecl(theirs *unit) (splice, *problem) {
	if len(theirs.names) > 1 {
		return splice{}, &problem{Drifted, "it is declared together with others (" + strings.Join(theirs.names, ", ") + ")",
			"replace the declaration as a whole"}
	}
	start, end := theirs.doc, theirs.tail
	if g := theirs.group; g != nil && len(g.units) == 1 {
		start, end = g.doc, g.tail
	}
	return splice{lead(theirs.src.text, start), end, nil, e}, nil
}
