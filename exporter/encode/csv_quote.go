package encode

import (
	"bytes"
	"fmt"
	"text/template"
	"text/template/parse"
	"unicode/utf8"
)

// quoteStyle is what is done to a field.
type quoteStyle uint8

const (
	inQuotes    quoteStyle = iota // if it needs them
	betweenOnes                   // the template has written them: those of the field are doubled
)

// csvQuotes knows which bytes call for quotes.
type csvQuotes struct {
	call [256]bool
	// Beyond the quotation mark and control characters it is one byte of ASCII,
	// eight times in delimiter, or else several is set.
	delimiter uint64
	several   bool
}

// quotesOf looks for delimiters in all of a template's texts.
func quotesOf(t *template.Template) *csvQuotes {
	q := &csvQuotes{}
	for _, c := range "\"\r\n" {
		q.call[c] = true
	}
	delimiter := func(c byte) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
		q.call[c] = q.call[c] || !letter
	}
	eachList(t, func(list *parse.ListNode) {
		for i := range list.Nodes {
			if text := bytes.Trim(textAt(list.Nodes, i), `"`); len(text) > 0 {
				delimiter(text[0])
				delimiter(text[len(text)-1])
			}
		}
	})
	for c := ' '; int(c) < len(q.call); c++ {
		if q.call[c] && c != '"' {
			q.several = q.several || q.delimiter != 0 || c >= utf8.RuneSelf
			q.delimiter = uint64(c) * ones
		}
	}
	return q
}

func textAt(nodes []parse.Node, i int) []byte {
	if i >= 0 && i < len(nodes) {
		if n, ok := nodes[i].(*parse.TextNode); ok {
			return n.Text
		}
	}
	return nil
}

func styleAt(nodes []parse.Node, i int) quoteStyle {
	if bytes.HasSuffix(textAt(nodes, i-1), []byte(`"`)) && bytes.HasPrefix(textAt(nodes, i+1), []byte(`"`)) {
		return betweenOnes
	}
	return inQuotes
}

// eachList calls f with every list of nodes in t and the templates defined in it.
func eachList(t *template.Template, f func(*parse.ListNode)) {
	var visit func(*parse.ListNode)
	visit = func(list *parse.ListNode) {
		if list == nil {
			return
		}
		f(list)
		for _, n := range list.Nodes {
			switch n := n.(type) {
			case *parse.IfNode:
				visit(n.List)
				visit(n.ElseList)
			case *parse.WithNode:
				visit(n.List)
				visit(n.ElseList)
			case *parse.RangeNode:
				visit(n.List)
				visit(n.ElseList)
			}
		}
	}
	for _, t := range t.Templates() {
		visit(t.Root)
	}
}

// Names of functions in templates.
const (
	jsonFunc    = "json"
	quoteFunc   = "offlock_quote"
	betweenFunc = "offlock_double"
)

// rewrite pipes what each action prints through a function that quotes it.
func (q *csvQuotes) rewrite(t *template.Template) {
	t.Funcs(template.FuncMap{
		quoteFunc:   func(v any) (string, error) { return q.text(inQuotes, v) },
		betweenFunc: func(v any) (string, error) { return q.text(betweenOnes, v) },
	})
	eachList(t, func(list *parse.ListNode) {
		for i, n := range list.Nodes {
			action, ok := n.(*parse.ActionNode)
			if !ok || len(action.Pipe.Decl) > 0 {
				continue
			}
			name := quoteFunc
			if styleAt(list.Nodes, i) == betweenOnes {
				name = betweenFunc
			}
			action.Pipe.Cmds = append(action.Pipe.Cmds, &parse.CommandNode{
				NodeType: parse.NodeCommand, Pos: action.Pos, Args: []parse.Node{parse.NewIdentifier(name).SetPos(action.Pos)},
			})
		}
	})
}

// printed prints its data as an action does.
var printed = template.Must(template.New("value").Parse("{{.}}"))

func (q *csvQuotes) text(style quoteStyle, v any) (string, error) {
	var b bytes.Buffer
	if err := printed.Execute(&b, v); err != nil {
		return "", fmt.Errorf("quoting a %T: %w", v, err)
	}
	return string(q.settle(b.Bytes(), 0, style)), nil
}

// settle quotes what dst holds from start on, if it needs that.
func (q *csvQuotes) settle(dst []byte, start int, style quoteStyle) []byte {
	if !q.needed(dst[start:]) {
		return dst
	}
	end, marks := len(dst), bytes.Count(dst[start:], []byte{'"'})
	added := marks
	if style == inQuotes {
		added += 2
	}
	for range added {
		dst = append(dst, '"')
	}
	// From the end, so that nothing is overwritten that has yet to move.
	to := len(dst)
	if style == inQuotes {
		to--
	}
	for from := end - 1; from >= start; from-- {
		to--
		dst[to] = dst[from]
		if dst[to] == '"' {
			to--
			dst[to] = '"'
		}
	}
	if style == inQuotes {
		dst[start] = '"'
	}
	return dst
}

func (q *csvQuotes) needed(field []byte) bool {
	for _, c := range field {
		if q.call[c] {
			return true
		}
	}
	return false
}
