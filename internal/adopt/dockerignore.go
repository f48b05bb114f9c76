package adopt

import (
	"path"
	"regexp"
	"strings"
)

// dockerIgnores finds the line of a .dockerignore that keeps a file, named below the build context, out of it; 0 if none
// does. The last pattern that matches the file or a folder above it decides, and one with "!" keeps it.
func dockerIgnores(text []byte, name string) (line int, pattern string) {
	for i, raw := range strings.Split(string(text), "\n") {
		raw = strings.TrimSpace(strings.TrimPrefix(raw, "\ufeff"))
		if raw == "" || raw[0] == '#' {
			continue
		}
		rule, keeps := strings.CutPrefix(raw, "!")
		rule = strings.TrimPrefix(path.Clean("/"+strings.TrimSpace(rule)), "/")
		matcher, err := dockerPattern(rule)
		if err != nil || rule == "" || !matcher.MatchString(name) {
			continue
		}
		if line, pattern = i+1, raw; keeps {
			line, pattern = 0, ""
		}
	}
	return line, pattern
}

// dockerPattern translates a pattern: "*" and "?" stop at a slash, "**" is any number of folders. What matches a folder
// matches all below it.
func dockerPattern(pattern string) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString("^")
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case strings.HasPrefix(pattern[i:], "**/"):
			b.WriteString("(.*/)?")
			i += 2
		case strings.HasPrefix(pattern[i:], "**"):
			b.WriteString(".*")
			i++
		case c == '*':
			b.WriteString("[^/]*")
		case c == '?':
			b.WriteString("[^/]")
		case c == '[' || c == ']':
			b.WriteByte(c)
		case c == '\\' && i+1 < len(pattern):
			i++
			b.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		default:
			b.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		}
	}
	b.WriteString("(/|$)")
	return regexp.Compile(b.String())
}
