package adopt

import (
	"regexp"
	"slices"
	"strings"
)

// variables are those that ARG and ENV set, as far as the Dockerfile tells.
type variables map[string]string

var variable = regexp.MustCompile(`\$(?:(\w+)|\{(\w+)(?:(:?[-+])([^}$]*))?\})`)

// expand puts in the values. A variable without one stays, as ${NAME}.
func (v variables) expand(text string) string {
	return variable.ReplaceAllStringFunc(text, func(found string) string {
		m := variable.FindStringSubmatch(found)
		name, operator := m[1]+m[2], strings.TrimPrefix(m[3], ":")
		value, set := v[name]
		switch {
		case operator == "+" && set:
			return m[4]
		case operator == "+":
			return found
		case set:
			return value
		case operator == "-":
			return m[4]
		}
		return "${" + name + "}"
	})
}

// take reads an ENV or an ARG; an ARG without a value takes that of above the first FROM. ENV has precedence over ARG.
func (v variables) take(in instruction, global variables) {
	words := slices.Concat(shellCommands(in.text)...)
	if in.word == "ENV" && len(words) > 0 && !strings.Contains(words[0], "=") { // ENV NAME some value
		words = []string{words[0] + "=" + strings.Join(words[1:], " ")}
	}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if !ok {
			value, ok = global[name]
		}
		if _, set := v[name]; ok && (in.word == "ENV" || !set) {
			v[name] = v.expand(value)
		}
	}
}

// mayBe tells whether two paths of an image can be the same: a variable that has no value stands for any path.
func mayBe(a, b string) bool {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	differing := append(x, y...)
	return len(differing) == 0 || strings.Contains(strings.Join(differing, "/"), "$")
}
