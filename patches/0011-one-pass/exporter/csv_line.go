//go:build ignore

package exporter

import (
	"bytes"
	"fmt"
	"strconv"
	"text/template"
	"text/template/parse"
)

// appendFields appends what a template makes of an event, if it is made of text and of the fields of the event alone,
// as the default ones are. It is then no more than a list of what to append. Otherwise, and if a field cannot be
// printed, it returns dst and false: text/template knows what to do, or what to say.
//
// If quoted, fields are quoted as RFC 4180 says, for the delimiter of the default templates.
func appendFields(dst []byte, t *template.Template, quoted bool, field func(dst []byte, name string) ([]byte, bool),
) ([]byte, bool) {
	if t.Tree == nil || t.Root == nil {
		return dst, false
	}
	line := dst
	for _, node := range t.Root.Nodes {
		switch node := node.(type) {
		case *parse.TextNode:
			line = append(line, node.Text...)
		case *parse.ActionNode:
			start := len(line)
			name, ok := fieldName(node)
			if !ok {
				return dst, false
			}
			if line, ok = field(line, name); !ok {
				return dst, false
			}
			if quoted {
				line = quoteCSV(line, start)
			}
		default:
			return dst, false
		}
	}
	return line, true
}

// fieldName returns the name of the field that an action prints, if it does nothing else.
func fieldName(action *parse.ActionNode) (string, bool) {
	if len(action.Pipe.Decl) > 0 || len(action.Pipe.Cmds) != 1 || len(action.Pipe.Cmds[0].Args) != 1 {
		return "", false
	}
	field, ok := action.Pipe.Cmds[0].Args[0].(*parse.FieldNode)
	if !ok || len(field.Ident) != 1 {
		return "", false
	}
	return field.Ident[0], true
}

// appendPrinted appends a value as a template prints it.
func appendPrinted(dst []byte, value any) ([]byte, bool) {
	switch value := value.(type) {
	case nil:
		return append(dst, "<no value>"...), true
	case string:
		return append(dst, value...), true
	case bool:
		return strconv.AppendBool(dst, value), true
	case int:
		return strconv.AppendInt(dst, int64(value), 10), true
	case int64:
		return strconv.AppendInt(dst, value, 10), true
	case float64:
		return strconv.AppendFloat(dst, value, 'g', -1, 64), true
	case map[string]any, []any:
		return fmt.Append(dst, value), true
	}
	printed := bytes.NewBuffer(dst)
	if err := anyValue.Execute(printed, value); err != nil {
		return dst, false
	}
	return printed.Bytes(), true
}

var anyValue = template.Must(template.New("value").Parse("{{ . }}"))

// quoteCSV quotes the field that begins at start, if it contains what would end it.
func quoteCSV(line []byte, start int) []byte {
	for _, c := range line[start:] {
		if c == ';' || c == '"' || c == '\n' || c == '\r' {
			field := bytes.ReplaceAll(line[start:], []byte{'"'}, []byte{'"', '"'})
			line = append(line[:start], '"')
			line = append(line, field...)
			return append(line, '"')
		}
	}
	return line
}
