package encode

import (
	"errors"
	"reflect"
	"text/template"
	"text/template/parse"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
)

// What the library hands to a template.
var (
	featureData = reflect.TypeFor[struct {
		ffexporter.FeatureEvent
		FormattedDate string
	}]()
	trackingData = reflect.TypeFor[struct {
		ffexporter.TrackingEvent
		FormattedDate string
	}]()
)

// csvLine is a compiled template.
type csvLine struct {
	template *template.Template // complete, with the quoting in it
	lacks    string             // a field that it names and the event has not, or empty

	// What the template does, if it is only text and fields. A template that is
	// not has no steps.
	steps  []csvStep
	quotes *csvQuotes // nil where nothing is quoted
}

// csvStep is a text and then a field.
type csvStep struct {
	text  string
	field csvField
	style quoteStyle // of the field
}

// compileCSV compiles a template for events of the kind that data is of.
func compileCSV(text string, quote bool, data reflect.Type) (*csvLine, error) {
	funcs := template.FuncMap{jsonFunc: jsonText}
	t, err := template.New("csv").Funcs(funcs).Parse(text)
	if err != nil {
		return nil, err
	}
	if t.Tree == nil || parse.IsEmptyTree(t.Root) {
		return nil, errors.New("it prints nothing but space")
	}
	line := &csvLine{template: t}
	line.lacks = lacking(data, fieldNames(t.Root))
	if quote {
		line.quotes = quotesOf(t)
	}
	if line.lacks == "" {
		line.steps = stepsOf(t.Root, line.quotes)
	}
	if quote {
		line.quotes.rewrite(t)
	}
	return line, nil
}

// lacking returns the first name that data has neither as a field nor as a method.
func lacking(data reflect.Type, names []string) string {
	for _, name := range names {
		if _, ok := data.FieldByName(name); ok {
			continue
		}
		if _, ok := data.MethodByName(name); !ok {
			return name
		}
	}
	return ""
}

// stepsOf returns nil for a template that is more than text and fields.
func stepsOf(root *parse.ListNode, quotes *csvQuotes) []csvStep {
	steps := make([]csvStep, 1, len(root.Nodes)+1)
	for i, n := range root.Nodes {
		step := &steps[len(steps)-1]
		switch n := n.(type) {
		case *parse.TextNode:
			step.text += string(n.Text)
		case *parse.ActionNode:
			if step.field = fieldOf(n.Pipe); step.field == noField {
				return nil
			}
			if quotes != nil {
				step.style = styleAt(root.Nodes, i)
			}
			steps = append(steps, csvStep{})
		default:
			return nil
		}
	}
	return steps
}

// fieldOf understands {{ .Field }} and {{ json .Field }}.
func fieldOf(p *parse.PipeNode) csvField {
	if len(p.Decl) > 0 || len(p.Cmds) != 1 {
		return noField
	}
	fields, args := csvFields, p.Cmds[0].Args
	if f, ok := args[0].(*parse.IdentifierNode); ok && f.Ident == jsonFunc && len(args) == 2 {
		fields, args = csvJSONFields, args[1:]
	}
	if f, ok := args[0].(*parse.FieldNode); ok && len(args) == 1 && len(f.Ident) == 1 {
		return fields[f.Ident[0]]
	}
	return noField
}

// fieldNames are the names that a template takes from the event itself: not from
// what with and range set the dot to, and not in templates of other names.
func fieldNames(n parse.Node) (names []string) {
	children := func(nodes ...parse.Node) {
		for _, n := range nodes {
			names = append(names, fieldNames(n)...)
		}
	}
	switch n := n.(type) {
	case *parse.FieldNode:
		names = n.Ident[:1]
	case *parse.VariableNode:
		if n.Ident[0] == "$" && len(n.Ident) > 1 {
			names = n.Ident[1:2]
		}
	case *parse.ListNode:
		if n != nil {
			children(n.Nodes...)
		}
	case *parse.ActionNode:
		children(n.Pipe)
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			children(c.Args...)
		}
	case *parse.ChainNode:
		children(n.Node)
	case *parse.IfNode:
		children(n.Pipe, n.List, n.ElseList)
	case *parse.WithNode:
		children(n.Pipe, n.ElseList)
	case *parse.RangeNode:
		children(n.Pipe, n.ElseList)
	case *parse.TemplateNode:
		if n.Pipe != nil {
			children(n.Pipe)
		}
	}
	return names
}
