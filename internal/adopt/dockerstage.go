package adopt

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// copied is one source of a COPY, an ADD or a bind mount: a path of the build context, and where it lies in the image.
type copied struct {
	from, to string
	dir      bool // to is a folder that from is put into; otherwise from becomes to
}

// stage is what is known of a build stage while its instructions are read.
type stage struct {
	workdir string
	copies  []copied
	told    bool // the missing line was found for this stage already
}

// goUse matches commands that read go.mod and with it the fork's folder.
var goUse = regexp.MustCompile(`(^|[\s;&|("'/])go\s+(mod\s+(download|verify|vendor|tidy|why|graph)|build|install|test|vet|list|run|generate|get|tool)\b`)

// missingCopy is a stage that has go.mod, but not the folder that its replace line names.
type missingCopy struct {
	line int    // of the RUN that fails
	add  string // the instruction, or the flag, that mends it
}

// missingCopies reads a Dockerfile. locate decides, from the source path of a go.mod as a COPY names it, which folder of
// the build context holds the fork and at which relative path from go.mod's own folder; ok is false for a go.mod that is
// another module's.
func missingCopies(text []byte, locate func(gomod string) (fork, target string, ok bool)) []missingCopy {
	var (
		found   []missingCopy
		stages  = map[string]*stage{}
		current = &stage{workdir: "/"}
	)
	for _, in := range parseDockerfile(text) {
		switch in.word {
		case "FROM":
			current = from(in, stages)
		case "WORKDIR":
			if len(in.args) > 0 {
				current.workdir = resolve(current.workdir, in.args[0])
			}
		case "COPY", "ADD":
			current.copies = append(current.copies, copies(in, current.workdir)...)
		case "RUN":
			if current.told || !goUse.MatchString(in.text) {
				continue
			}
			if add := current.missing(mounts(in, current.workdir), locate); add != "" {
				found = append(found, missingCopy{in.line, add})
				current.told = true
			}
		}
	}
	return found
}

// from begins a stage; one that is built on another has its files.
func from(in instruction, stages map[string]*stage) *stage {
	s := &stage{workdir: "/"}
	if len(in.args) == 0 {
		return s
	}
	if parent := stages[strings.ToLower(in.args[0])]; parent != nil {
		*s = *parent
		s.copies = append([]copied(nil), parent.copies...)
	}
	if len(in.args) == 3 && strings.EqualFold(in.args[1], "AS") {
		stages[strings.ToLower(in.args[2])] = s
	}
	return s
}

// resolve joins a path of the image with the working directory. A path that begins with a variable counts as absolute,
// and is compared by its text.
func resolve(workdir, name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if path.IsAbs(name) || strings.HasPrefix(name, "$") {
		return path.Clean(name)
	}
	return path.Join(workdir, name)
}

func copies(in instruction, workdir string) []copied {
	if len(in.flag("from")) > 0 || len(in.args) < 2 { // from another stage or image, not from the build context
		return nil
	}
	sources, to := in.args[:len(in.args)-1], in.args[len(in.args)-1]
	dir := strings.HasSuffix(to, "/") || to == "." || strings.HasSuffix(to, "/.") || len(sources) > 1
	var result []copied
	for _, source := range sources {
		c := copied{from: contextPath(source), to: resolve(workdir, to), dir: dir}
		if len(in.flag("parents")) > 0 {
			c.to, c.dir = path.Join(c.to, c.from), false
		}
		result = append(result, c)
	}
	return result
}

// mounts are the bind mounts of a RUN, which hold for it alone.
func mounts(in instruction, workdir string) []copied {
	var result []copied
	for _, mount := range in.flag("mount") {
		values := map[string]string{}
		for part := range strings.SplitSeq(mount, ",") {
			key, value, _ := strings.Cut(part, "=")
			values[strings.ToLower(key)] = value
		}
		from, to := values["source"]+values["src"], values["target"]+values["dst"]+values["destination"]
		if values["type"] == "bind" && values["from"] == "" {
			result = append(result, copied{from: contextPath(from), to: resolve(workdir, to)})
		}
	}
	return result
}

// contextPath is a source as a clean path below the build context.
func contextPath(source string) string {
	return strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(source, `\`, "/")), "/")
}

// isGoMod tells whether a source is a go.mod, named or matched by a pattern such as go.*, and names it.
func (c copied) isGoMod() (string, bool) {
	dir, base := path.Split(c.from)
	ok, err := path.Match(base, "go.mod")
	return dir + "go.mod", err == nil && ok
}

// folder is where in the image the file that c copies lies.
func (c copied) folder() string {
	if c.dir || path.Base(c.to) != "go.mod" {
		return c.to
	}
	return path.Dir(c.to)
}

// brings tells whether c puts the folder fork of the build context at the path at of the image.
func (c copied) brings(fork, at string) bool {
	parts := strings.Split(fork, "/")
	for n := 0; n <= len(parts); n++ {
		head := strings.Join(parts[:n], "/")
		ok, err := path.Match(c.from, head)
		if err != nil || !ok {
			continue
		}
		// A folder's content is copied, not the folder.
		if path.Join(append([]string{c.to}, parts[n:]...)...) == at {
			return true
		}
	}
	return false
}

// missing is the line that a RUN needs before it, empty if it needs none.
func (s *stage) missing(mounts []copied, locate func(string) (fork, target string, ok bool)) string {
	all := append(append([]copied(nil), s.copies...), mounts...)
	for i, c := range all {
		name, ok := c.isGoMod()
		if !ok {
			continue
		}
		fork, target, ok := locate(name)
		if !ok {
			continue
		}
		at := path.Join(c.folder(), target)
		brought := false
		for _, other := range all {
			brought = brought || other.brings(fork, at)
		}
		if brought {
			continue
		}
		to := at
		if rel, ok := strings.CutPrefix(at, strings.TrimSuffix(s.workdir, "/")+"/"); ok && s.workdir != "/" {
			to = "./" + rel
		}
		if i >= len(s.copies) {
			return fmt.Sprintf("--mount=type=bind,source=%s,target=%s", fork, strings.TrimPrefix(to, "./"))
		}
		return copyLine(fork, to+"/")
	}
	return ""
}

// copyLine is a COPY of one folder; the JSON form is for names with spaces.
func copyLine(from, to string) string {
	if strings.ContainsAny(from+to, " \t") {
		return fmt.Sprintf("COPY [%q, %q]", from, to)
	}
	return fmt.Sprintf("COPY %s %s", from, to)
}
