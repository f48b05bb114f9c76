package adopt

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// reads is what a go command reads of the modules that go.mod names.
type reads int

const (
	nothing  reads = iota
	packages       // what it builds: a vendor folder will do
	modules        // the modules themselves
)

// goReads is the most that the go commands of a RUN read.
func goReads(in instruction, vars variables) reads {
	most, goflags := nothing, vars["GOFLAGS"]
	for _, words := range in.commands() {
		for i, word := range words {
			base := path.Base(word)
			if base == "echo" || base == "printf" {
				break // what follows are no commands
			}
			if value, ok := strings.CutPrefix(word, "GOFLAGS="); ok {
				goflags = value
			}
			if base == "go" || base == "go.exe" || base == "xx-go" { // at any place: after env, time, timeout 60, if …
				most = max(most, readsOf(words[i+1:], goflags, vars))
			}
		}
	}
	return most
}

// readsOf is what go reads when it is run with these arguments.
func readsOf(args []string, goflags string, vars variables) reads {
	switch {
	case len(args) > 2 && args[0] == "-C":
		args = args[2:]
	case len(args) > 1 && strings.HasPrefix(args[0], "-C="):
		args = args[1:]
	}
	if len(args) == 0 {
		return nothing
	}
	command, rest := args[0], args[1:]
	switch command {
	case "get":
		return modules
	case "mod", "work":
		if len(rest) > 0 && slices.Contains([]string{"download", "verify", "vendor", "tidy", "graph", "sync"}, rest[0]) {
			return modules
		}
		if command == "work" || len(rest) == 0 || rest[0] != "why" {
			return nothing
		}
	case "install", "run":
		for _, arg := range rest {
			if !strings.HasPrefix(arg, "-") && strings.Contains(vars.expand(arg), "@") {
				return nothing // a version of another module: go.mod is not read
			}
		}
	case "build", "test", "vet", "list", "generate", "tool", "fix":
	default:
		return nothing
	}
	switch modFlag(append(strings.Fields(goflags), rest...)) {
	case "vendor":
		return nothing
	case "mod", "readonly":
		return modules
	}
	return packages
}

// modFlag is the value of the last -mod.
func modFlag(args []string) (value string) {
	for i, arg := range args {
		name, v, ok := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch {
		case !strings.HasPrefix(arg, "-") || name != "mod":
		case ok:
			value = v
		case i+1 < len(args):
			value = args[i+1]
		}
	}
	return value
}

// commands are the commands of a RUN, each as its words.
func (in instruction) commands() [][]string {
	if in.json {
		return append([][]string{in.args}, scripts(in.args)...)
	}
	all := shellCommands(in.text)
	first, _ := cutWord(in.text)
	if strings.Contains(first, "<<") || shell.MatchString(path.Base(first)) { // for others a here-document is data
		for _, body := range in.here {
			all = append(all, shellCommands(body)...)
		}
	}
	return all
}

var (
	shell      = regexp.MustCompile(`^(ba|da|a|z|k)?sh$`)
	scriptFlag = regexp.MustCompile(`^-[a-z]*c$`)
)

// scripts are the commands of sh -c "…".
func scripts(words []string) (all [][]string) {
	for i, word := range words {
		if i > 0 && scriptFlag.MatchString(words[i-1]) && strings.ContainsAny(word, " \t\n") {
			all = append(all, shellCommands(word)...)
		}
	}
	return all
}

// shellCommands splits shell text into its commands and these into words, without their quotes. It knows no grammar:
// "if", "{" and "!" are words.
func shellCommands(text string) (all [][]string) {
	var (
		words  []string
		word   strings.Builder
		inWord bool
	)
	endWord := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	endCommand := func() {
		endWord()
		if len(words) > 0 {
			all = append(append(all, words), scripts(words)...)
		}
		words = nil
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			if i++; text[i] != '\n' {
				word.WriteByte(text[i])
				inWord = true
			}
		case c == '\'' || c == '"':
			quoted, length := unquote(text[i:])
			word.WriteString(quoted)
			inWord = true
			i += length - 1
			if _, inner, ok := strings.Cut(quoted, "$("); ok && c == '"' {
				all = append(all, shellCommands(inner)...)
			}
		case c == ' ' || c == '\t':
			endWord()
		case strings.IndexByte("\n;&|()`", c) >= 0:
			endCommand()
		case c == '#' && !inWord:
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	endCommand()
	return all
}

// unquote reads the quoted text that s begins with; length is that with the quotes.
func unquote(s string) (text string, length int) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return b.String(), i + 1
		case s[i] == '\\' && s[0] == '"' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), len(s)
}
