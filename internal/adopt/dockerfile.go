package adopt

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// instruction is one instruction of a Dockerfile.
type instruction struct {
	line  int    // 1-based, where it begins
	word  string // upper case: COPY
	flags []string
	args  []string // words, or the strings of the JSON form
	json  bool     // args are those of the JSON form
	text  string   // all after the flags
	here  []string // bodies of here-documents
}

// flag returns the values of --name=value, in order.
func (in instruction) flag(name string) []string {
	var values []string
	for _, f := range in.flags {
		if value, ok := strings.CutPrefix(f, "--"+name+"="); ok {
			values = append(values, value)
		} else if f == "--"+name {
			values = append(values, "true")
		}
	}
	return values
}

var (
	escapeDirective = regexp.MustCompile("(?i)^#\\s*escape\\s*=\\s*([\\\\`])\\s*$")
	hereDocument    = regexp.MustCompile(`^\d*<<(-?)["']?([A-Za-z_][\w.-]*)["']?$`) // a word of its own
)

// parseDockerfile reads the instructions of a Dockerfile: continued lines, comments among them, here-documents, the JSON
// form and the escape directive. It never fails; what is no instruction is passed by.
func parseDockerfile(text []byte) []instruction {
	var (
		all    = strings.Split(strings.TrimPrefix(string(text), "\ufeff"), "\n")
		escape = `\`
		result []instruction
	)
	for i := range all {
		all[i] = strings.TrimRight(all[i], "\r")
	}
	for _, line := range all { // directives come before everything else
		if m := escapeDirective.FindStringSubmatch(line); m != nil {
			escape = m[1]
		}
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			break
		}
	}
	for i := 0; i < len(all); i++ {
		if blankOrComment(all[i]) {
			continue
		}
		in := instruction{line: i + 1}
		var body []string
		for ; i < len(all); i++ {
			if len(body) > 0 && blankOrComment(all[i]) {
				continue
			}
			part, more := strings.CutSuffix(strings.TrimRight(all[i], " \t"), escape)
			body = append(body, strings.TrimSpace(part))
			if !more {
				break
			}
		}
		text := strings.Join(body, " ")
		in.word, text = cutWord(text)
		in.word = strings.ToUpper(in.word)
		in.takeFlags(text)
		if in.word == "RUN" || in.word == "COPY" || in.word == "ADD" {
			i = in.takeHere(all, i)
		}
		result = append(result, in)
	}
	return result
}

// cutWord splits off the first word.
func cutWord(text string) (word, rest string) {
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		return text[:i], strings.TrimSpace(text[i:])
	}
	return text, ""
}

func blankOrComment(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

func (in *instruction) takeFlags(text string) {
	text = strings.TrimSpace(text)
	for strings.HasPrefix(text, "--") {
		var flag string
		flag, text = cutWord(text)
		in.flags = append(in.flags, flag)
	}
	in.text = text
	if strings.HasPrefix(text, "[") && json.Unmarshal([]byte(text), &in.args) == nil {
		in.json = true
		return
	}
	in.args = strings.Fields(text)
	for i, arg := range in.args {
		in.args[i] = strings.Trim(arg, `"'`)
	}
}

// takeHere reads the here-documents of an instruction that ends at line i, and returns where they end. One without an end
// is none: Docker refuses it, so the file means something else.
func (in *instruction) takeHere(lines []string, i int) int {
	for _, word := range strings.Fields(in.text) {
		m := hereDocument.FindStringSubmatch(word)
		if m == nil || i+1 >= len(lines) {
			continue
		}
		end := slices.IndexFunc(lines[i+1:], func(line string) bool {
			if m[1] == "-" {
				line = strings.TrimLeft(line, "\t")
			}
			return line == m[2]
		})
		if end >= 0 {
			in.here = append(in.here, strings.Join(lines[i+1:i+1+end], "\n"))
			i += 1 + end
		}
	}
	return i
}
