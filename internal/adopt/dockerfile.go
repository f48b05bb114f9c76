package adopt

import (
	"encoding/json"
	"regexp"
	"strings"
)

// instruction is one instruction of a Dockerfile.
type instruction struct {
	line  int    // 1-based, where it begins
	word  string // upper case: COPY
	flags []string
	args  []string // words, or the strings of the JSON form
	text  string   // all after the flags, bodies of here-documents included
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
	hereDocument    = regexp.MustCompile(`<<-?(["']?)(\w+)(["']?)`)
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
		in.word, text, _ = strings.Cut(text, " ")
		in.word = strings.ToUpper(in.word)
		in.takeFlags(text)
		if in.word == "RUN" || in.word == "COPY" || in.word == "ADD" {
			for _, m := range hereDocument.FindAllStringSubmatch(in.text, -1) {
				for i++; i < len(all) && strings.TrimSpace(all[i]) != m[2]; i++ {
					in.text += "\n" + all[i]
				}
			}
		}
		result = append(result, in)
	}
	return result
}

func blankOrComment(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

func (in *instruction) takeFlags(text string) {
	text = strings.TrimSpace(text)
	for strings.HasPrefix(text, "--") {
		flag, rest, _ := strings.Cut(text, " ")
		in.flags = append(in.flags, flag)
		text = strings.TrimSpace(rest)
	}
	in.text = text
	if strings.HasPrefix(text, "[") && json.Unmarshal([]byte(text), &in.args) == nil {
		in.text = strings.Join(in.args, " ")
		return
	}
	in.args = strings.Fields(text)
	for i, arg := range in.args {
		in.args[i] = strings.Trim(arg, `"'`)
	}
}
