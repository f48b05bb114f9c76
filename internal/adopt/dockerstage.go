package adopt

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// copied is one source of a COPY, an ADD or a bind mount: a path of the build context, and where it lies in the image.
type copied struct {
	from, to string
	dir      bool   // to is a folder that from is put into; otherwise from becomes to
	parents  bool   // from keeps its path of the build context below to
	excludes string // patterns below from, as in a .dockerignore
}

// stage is what is known of a build stage while its instructions are read.
type stage struct {
	workdir string
	vars    variables
	copies  []copied
	told    bool // the missing line was found for this stage already
}

// forkUse is a RUN that reads the fork's folder, because it runs go with a go.mod that names it.
type forkUse struct {
	line int    // of the RUN
	add  string // the instruction, or the flag, without which it fails; empty if the Dockerfile brings the folder
	in   located
}

// located is a go.mod of ours in a build context.
type located struct {
	context string // the folder on this machine
	gomod   string // its path below the context
	fork    target
	vendor  target // zero without one
}

// target is a folder of the build context, and its path from go.mod's own folder.
type target struct{ path, relative string }

// locator finds the go.mod of ours that a source of a COPY names, or that lies below it.
type locator func(source string) (located, bool)

// forkUses reads a Dockerfile.
func forkUses(text []byte, locate locator) []forkUse {
	var (
		found   []forkUse
		global  = variables{}
		stages  = map[string]*stage{}
		current *stage // none before the first FROM
	)
	for _, in := range parseDockerfile(text) {
		switch {
		case in.word == "FROM":
			current = from(in, stages, global)
		case current == nil:
			if in.word == "ARG" {
				global.take(in, nil)
			}
		case in.word == "ARG" || in.word == "ENV":
			current.vars.take(in, global)
		case in.word == "WORKDIR" && len(in.args) > 0:
			current.workdir = current.resolve(in.args[0])
		case in.word == "COPY" || in.word == "ADD":
			current.copies = append(current.copies, current.copied(in)...)
		case in.word == "RUN" && !current.told:
			if use, ok := current.use(in, locate); ok {
				found = append(found, use)
				current.told = use.add != ""
			}
		}
	}
	return found
}

// from begins a stage; one that is built on another has its files.
func from(in instruction, stages map[string]*stage, global variables) *stage {
	s := &stage{workdir: "/", vars: variables{}}
	if len(in.args) == 0 {
		return s
	}
	if parent := stages[strings.ToLower(global.expand(in.args[0]))]; parent != nil {
		*s = *parent
		s.copies, s.vars = slices.Clone(parent.copies), maps.Clone(parent.vars)
	}
	if len(in.args) == 3 && strings.EqualFold(in.args[1], "AS") {
		stages[strings.ToLower(in.args[2])] = s
	}
	return s
}

// resolve joins a path of the image with the working directory. One that begins with an unknown variable counts as absolute.
func (s *stage) resolve(name string) string {
	name = strings.ReplaceAll(s.vars.expand(name), `\`, "/")
	if path.IsAbs(name) || strings.HasPrefix(name, "$") {
		return path.Clean(name)
	}
	return path.Join(s.workdir, name)
}

func (s *stage) copied(in instruction) []copied {
	if len(in.flag("from")) > 0 || len(in.args) < 2 { // from another stage or image, not from the build context
		return nil
	}
	sources, to := in.args[:len(in.args)-1], s.vars.expand(in.args[len(in.args)-1])
	c := copied{
		to:       s.resolve(to),
		dir:      strings.HasSuffix(to, "/") || to == "." || strings.HasSuffix(to, "/.") || len(sources) > 1,
		parents:  len(in.flag("parents")) > 0,
		excludes: strings.Join(in.flag("exclude"), "\n"),
	}
	var result []copied
	for _, source := range sources {
		c.from = contextPath(s.vars.expand(source))
		result = append(result, c)
	}
	return result
}

// mounts are the bind mounts of a RUN, which hold for it alone.
func (s *stage) mounts(in instruction) []copied {
	var result []copied
	for _, mount := range in.flag("mount") {
		values := map[string]string{}
		for part := range strings.SplitSeq(s.vars.expand(mount), ",") {
			key, value, _ := strings.Cut(part, "=")
			values[strings.ToLower(key)] = value
		}
		from, to := values["source"]+values["src"], values["target"]+values["dst"]+values["destination"]
		if (values["type"] == "bind" || values["type"] == "") && values["from"] == "" {
			result = append(result, copied{from: contextPath(from), to: s.resolve(to)})
		}
	}
	return result
}

// contextPath is a source as a clean path below the build context.
func contextPath(source string) string {
	return strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(source, `\`, "/")), "/")
}

// gomod locates the go.mod that c brings, and the folder of the image that it lies in then.
func (c copied) gomod(locate locator) (m located, folder string, ok bool) {
	dir, base := path.Split(c.from)
	if named, err := path.Match(base, "go.mod"); err == nil && named { // by its name or by a pattern such as go.*
		m, ok = locate(dir + "go.mod")
		switch {
		case c.parents:
			folder = path.Join(c.to, dir)
		case !c.dir && path.Base(c.to) == "go.mod":
			folder = path.Dir(c.to)
		default:
			folder = c.to
		}
		return m, folder, ok
	}
	m, ok = locate(c.from)
	below := strings.TrimPrefix(strings.TrimPrefix(m.gomod, c.from), "/")
	if !ok || c.excluded(below) {
		return m, "", false
	}
	if c.parents {
		below = m.gomod
	}
	return m, path.Join(c.to, path.Dir(below)), true
}

func (c copied) excluded(below string) bool {
	line, _ := dockerIgnores([]byte(c.excludes), below)
	return line > 0
}

// brings tells whether c puts a folder of the build context at a path of the image; it does if an unknown variable can
// make it so.
func (c copied) brings(folder, at string) bool {
	if strings.Contains(c.from, "$") {
		return mayBe(c.to, at) || strings.HasPrefix(at, strings.TrimSuffix(c.to, "/")+"/")
	}
	parts := strings.Split(folder, "/")
	for n := 0; n <= len(parts); n++ {
		head, rest := strings.Join(parts[:n], "/"), path.Join(parts[n:]...)
		if ok, err := path.Match(c.from, head); err != nil || !ok || (n == 0 && c.from != "") || c.excluded(path.Join(rest, "go.mod")) {
			continue
		}
		place := path.Join(c.to, rest) // a folder's content is copied, not the folder
		if c.parents {
			place = path.Join(c.to, folder)
		}
		if mayBe(place, at) {
			return true
		}
	}
	return false
}

// use tells what a RUN needs of the fork's folder; not ok if that is nothing.
func (s *stage) use(in instruction, locate locator) (use forkUse, ok bool) {
	read := goReads(in, s.vars)
	if read == nothing {
		return use, false
	}
	all := slices.Concat(s.copies, s.mounts(in))
	brought := func(t target, folder string) bool {
		if strings.Contains(folder, "$") && strings.HasPrefix(t.relative, "..") {
			return true // above a folder whose place is unknown: it cannot be told
		}
		at := path.Join(folder, t.relative)
		return slices.ContainsFunc(all, func(c copied) bool { return c.brings(t.path, at) })
	}
	for i, c := range all {
		m, folder, found := c.gomod(locate)
		if !found || (read == packages && m.vendor != target{} && brought(m.vendor, folder)) {
			continue
		}
		use, ok = forkUse{line: in.line, in: m}, true
		if brought(m.fork, folder) {
			continue
		}
		to := path.Join(folder, m.fork.relative)
		if rel, ok := strings.CutPrefix(to, strings.TrimSuffix(s.workdir, "/")+"/"); ok && s.workdir != "/" {
			to = "./" + rel
		}
		if use.add = copyLine(m.fork.path, to+"/"); i >= len(s.copies) {
			use.add = fmt.Sprintf("--mount=type=bind,source=%s,target=%s", m.fork.path, strings.TrimPrefix(to, "./"))
		}
		break
	}
	return use, ok
}

// copyLine is a COPY of one folder; the JSON form is for names with spaces.
func copyLine(from, to string) string {
	if strings.ContainsAny(from+to, " \t") {
		return fmt.Sprintf("COPY [%q, %q]", from, to)
	}
	return fmt.Sprintf("COPY %s %s", from, to)
}
