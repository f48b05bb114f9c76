package adopt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	ignores := map[string]bool{}
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
		contexts := map[string]bool{}
		missing := missingCopies(text, func(gomod string) (string, string, bool) {
			return s.locate(file, gomod, fork, contexts)
		})
		for _, m := range missing {
			where := "needs, before it"
			if strings.HasPrefix(m.add, "--mount") {
				where = "needs the flag"
			}
			notes = append(notes, DockerNote{s.show(file), m.line, m.add,
				fmt.Sprintf("%s:%d runs go with go.mod but without the fork that it names; it %s: %s", s.show(file), m.line, where, m.add)})
		}
		for context := range contexts {
			for _, ignore := range []string{file + ".dockerignore", filepath.Join(context, ".dockerignore")} {
				if _, err := os.Stat(ignore); err != nil {
					continue
				}
				if !ignores[ignore] {
					ignores[ignore] = true
					notes, err = s.noteIgnore(notes, ignore, context, fork)
				}
				return err // Docker reads the first of the two
			}
		}
		return nil
	})
	return notes, err
}

func (s *Service) noteIgnore(notes []DockerNote, ignore, context, fork string) ([]DockerNote, error) {
	text, err := os.ReadFile(ignore)
	if err != nil {
		return notes, err
	}
	rel, err := filepath.Rel(context, fork)
	if err != nil {
		return notes, err
	}
	rel = filepath.ToSlash(rel)
	if line, pattern := dockerIgnores(text, rel+"/go.mod"); line > 0 {
		notes = append(notes, DockerNote{s.show(ignore), line, "!" + rel,
			fmt.Sprintf("%s:%d (%s) keeps the fork out of the build context; add the line !%s below it", s.show(ignore), line, pattern, rel)})
	}
	return notes, nil
}

func isDockerfile(name string) bool {
	lower := strings.ToLower(name)
	switch {
	case strings.HasSuffix(lower, ".dockerignore"), strings.HasSuffix(lower, ".go"):
		return false
	case lower == "dockerfile", lower == "containerfile":
		return true
	}
	return strings.HasPrefix(lower, "dockerfile.") || strings.HasPrefix(lower, "containerfile.") || strings.HasSuffix(lower, ".dockerfile")
}

// locate finds the build context in which gomod is a go.mod of ours: the Dockerfile does not tell, so its own folder is
// tried first, then those above it, then those of the modules. contexts collects what was found.
func (s *Service) locate(dockerfile, gomod, fork string, contexts map[string]bool) (from, target string, ok bool) {
	var candidates []string
	for dir := filepath.Dir(dockerfile); within(dir, s.Home()); dir = filepath.Dir(dir) {
		candidates = append(candidates, dir)
	}
	candidates = append(candidates, s.Root, s.Home())
	for _, context := range candidates {
		full := filepath.Join(context, filepath.FromSlash(gomod))
		for _, module := range s.Modules {
			if !sameFile(full, filepath.Join(module, "go.mod")) || !s.replaced(module, fork) {
				continue
			}
			rel, err := filepath.Rel(context, fork)
			if err != nil || !filepath.IsLocal(rel) {
				continue // the fork lies outside of this context
			}
			target, err := relative(module, fork)
			if err != nil {
				continue
			}
			contexts[context] = true
			return filepath.ToSlash(rel), target, true
		}
	}
	return "", "", false
}

// replaced tells whether the module has the line, or gets it: it is the service itself.
func (s *Service) replaced(module, fork string) bool {
	if sameFile(module, s.Root) {
		return true
	}
	file := filepath.Join(module, "go.mod")
	text, err := readModFile(file)
	if err != nil {
		return false
	}
	found, err := replacementsIn(file, text)
	if err != nil {
		return false
	}
	for _, r := range found {
		if target := r.dir(); target != "" && sameFile(target, fork) {
			return true
		}
	}
	return false
}
