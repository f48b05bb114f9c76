package adopt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// DockerNote is what a Dockerfile needs now that builds read the fork's folder. It is told, never written.
type DockerNote struct {
	File string `json:"file"`
	Line int    `json:"line"`          // of the instruction that fails, or of the pattern that hides the folder
	Add  string `json:"add,omitempty"` // what to put before that line, or into it if it begins with --mount
	Text string `json:"text"`
}

// skipped are folders in which no Dockerfile of the service is looked for.
var skipped = map[string]bool{"vendor": true, "node_modules": true, ".git": true}

// dockerNotes looks through the Dockerfiles of the service and of its workspace.
func (s *Service) dockerNotes(fork string) ([]DockerNote, error) {
	notes := []DockerNote{}
	seen := map[[2]string]bool{} // a .dockerignore and its context
	err := filepath.WalkDir(s.Home(), func(file string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrPermission):
			return fs.SkipDir
		case err != nil:
			return err
		case d.IsDir() && file != s.Home() && (skipped[d.Name()] || file == fork || strings.HasPrefix(d.Name(), ".offlock-")):
			return fs.SkipDir
		case !d.Type().IsRegular() || !isDockerfile(d.Name()):
			return nil
		}
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrPermission) {
			return nil // as with the folder: what this user cannot read, this user does not build
		}
		if err != nil {
			return err
		}
		uses := forkUses(text, func(source string) (located, bool) { return s.locate(file, source, fork) })
		for _, u := range uses {
			if u.add == "" {
				continue
			}
			where := "needs, before it"
			if strings.HasPrefix(u.add, "--mount") {
				where = "needs the flag"
			}
			notes = append(notes, DockerNote{s.show(file), u.line, u.add,
				fmt.Sprintf("%s:%d runs go with go.mod but without the fork that it names; it %s: %s", s.show(file), u.line, where, u.add)})
		}
		slices.SortStableFunc(uses, func(a, b forkUse) int { return strings.Compare(a.in.context, b.in.context) })
		for _, u := range uses {
			ignore := dockerignore(file, u.in.context)
			if ignore == "" || seen[[2]string{ignore, u.in.context}] {
				continue
			}
			note, ok, err := s.noteIgnore(ignore, u.in)
			if err != nil {
				return err
			}
			if ok {
				seen[[2]string{ignore, u.in.context}] = true
				notes = append(notes, note)
			}
		}
		return nil
	})
	return notes, err
}

// dockerignore is the file that Docker reads for a Dockerfile and its context; empty if there is none.
func dockerignore(dockerfile, context string) string {
	for _, name := range []string{dockerfile + ".dockerignore", filepath.Join(context, ".dockerignore")} {
		if _, err := os.Stat(name); err == nil {
			return name
		}
	}
	return ""
}

// noteIgnore looks for the pattern that keeps the fork, but not the go.mod that names it, out of the build context.
func (s *Service) noteIgnore(ignore string, in located) (note DockerNote, found bool, err error) {
	text, err := os.ReadFile(ignore)
	if err != nil {
		return note, false, err
	}
	if line, _ := dockerIgnores(text, in.gomod); line > 0 {
		return note, false, nil
	}
	for _, name := range []string{"go.mod", "exporter/exporter.go"} { // a go.mod and a source: patterns tell them apart
		if line, pattern := dockerIgnores(text, in.fork.path+"/"+name); line > 0 {
			return DockerNote{s.show(ignore), line, "!" + in.fork.path,
				fmt.Sprintf("%s:%d (%s) keeps the fork out of the build context; add the line !%s below it", s.show(ignore), line, pattern, in.fork.path)}, true, nil
		}
	}
	return note, false, nil
}

// dockerfileName is Dockerfile, Dockerfile.dev, Dockerfile-prod, svc.Dockerfile and their like.
var dockerfileName = regexp.MustCompile(`(?i)^(.*[._-])?(docker|container)file([._-].*)?$`)

func isDockerfile(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".dockerignore", ".go", ".md":
		return false
	}
	return dockerfileName.MatchString(name)
}
