package adopt

import (
	"os"
	"path/filepath"
)

// locate finds the build context in which a source names a go.mod of ours or a folder with one: the Dockerfile does not
// tell, so its own folder is tried first, then those above it, then those of the modules.
func (s *Service) locate(dockerfile, source, fork string) (located, bool) {
	var candidates []string
	for dir := filepath.Dir(dockerfile); within(dir, s.Home()); dir = filepath.Dir(dir) {
		candidates = append(candidates, dir)
	}
	candidates = append(candidates, s.Root, s.Home())
	for _, context := range candidates {
		full := filepath.Join(context, filepath.FromSlash(source))
		for _, module := range s.Modules {
			gomod := filepath.Join(module, "go.mod")
			if !(sameFile(full, gomod) || within(gomod, full)) || !s.replaced(module, fork) {
				continue
			}
			m := located{context: context}
			var ok bool
			if m.fork, ok = targetIn(context, module, fork); !ok {
				continue // the fork lies outside of this context
			}
			t, ok := targetIn(context, module, gomod)
			if !ok {
				continue
			}
			m.gomod = t.path
			m.vendor = s.vendorIn(context, module, dockerfile)
			return m, true
		}
	}
	return located{}, false
}

// targetIn is a file or folder as seen from a build context and from a module; not ok outside of the context.
func targetIn(context, module, name string) (t target, ok bool) {
	rel, err := filepath.Rel(context, name)
	if err != nil || !filepath.IsLocal(rel) {
		return t, false
	}
	relative, err := relative(module, name)
	return target{filepath.ToSlash(rel), relative}, err == nil
}

// vendorIn is the vendor folder from which the module is built; zero if there is none, or none in the build context.
func (s *Service) vendorIn(context, module, dockerfile string) target {
	for _, dir := range []string{module, s.Home()} {
		vendor := filepath.Join(dir, "vendor")
		t, ok := targetIn(context, module, vendor)
		if _, err := os.Stat(filepath.Join(vendor, "modules.txt")); err != nil || !ok {
			continue
		}
		if text, err := os.ReadFile(dockerignore(dockerfile, context)); err == nil {
			if line, _ := dockerIgnores(text, t.path+"/modules.txt"); line > 0 {
				continue
			}
		}
		return t
	}
	return target{}
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
